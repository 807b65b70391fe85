#!/bin/sh
# Puts one site of a copy back to its first state: ./reset.sh SERVICE COPY
# The container is made anew from its image, which holds all of the site's data.
set -eu
cd "$(dirname "$0")"
service=$1
copy=$2
docker compose --project-name "webarena-$copy" --env-file "copy-$copy.env" \
    up --detach --wait --no-deps --force-recreate --renew-anon-volumes "$service"
exec ./prepare.sh "$copy" "$service"
