#!/bin/sh
# Tells the sites of a copy their own addresses, as WebArena's instructions do, and waits
# until they answer: ./prepare.sh COPY [SERVICE]
set -eu
cd "$(dirname "$0")"
copy=$1
only=${2:-}
. "./copy-$copy.env"

compose() {
    docker compose --project-name "webarena-$copy" --env-file "copy-$copy.env" "$@"
}

inside() {
    compose exec --no-TTY "$@"
}

wanted() {
    [ -z "$only" ] || [ "$only" = "$1" ]
}

# The shop's two images keep their address in the database, with and without TLS.
prepare_magento() {
    magento=/var/www/magento2/bin/magento
    inside "$1" "$magento" setup:store-config:set --base-url="$2"
    inside "$1" mysql -u magentouser -pMyPassword magentodb \
        -e "UPDATE core_config_data SET value='$2/' WHERE path = 'web/secure/base_url';"
    if [ "$1" = shopping_admin ]; then
        # Its person would have to change the password after a while.
        inside "$1" php "$magento" config:set admin/security/password_is_forced 0
        inside "$1" php "$magento" config:set admin/security/password_lifetime 0
    fi
    inside "$1" "$magento" cache:flush
}

prepare_gitlab() {
    inside gitlab sed -i "s|^external_url.*|external_url '$1'|" /etc/gitlab/gitlab.rb
    inside gitlab gitlab-ctl reconfigure
}

if wanted shopping; then prepare_magento shopping "$SHOPPING_URL"; fi
if wanted shopping_admin; then prepare_magento shopping_admin "$SHOPPING_ADMIN_URL"; fi
if wanted gitlab; then prepare_gitlab "$GITLAB_URL"; fi
if [ -n "$only" ]; then set -- "$only"; else set --; fi
compose up --detach --wait "$@"
