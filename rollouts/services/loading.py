"""Policies and collectors, found by the dotted paths in the settings.

A worker keeps the policy that it loaded last: the next job often needs it again.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from curriculum.models import Phase
from curriculum.phase_config import RolloutConfig
from curriculum.rules.checkpoints import is_served, read_digest, resolve_checkpoint
from curriculum.rules.operator_urls import is_operators
from curriculum.selectors.pools import list_instances
from rollouts.browser.actions.acting import MAX_ENTER_WAIT_S, ActingOptions
from rollouts.browser.evaluators.judge_prompts import PROMPTS_BY_WORD
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.evaluators.openai_judge import JudgeOptions
from rollouts.policies.protocol import Policy, RestingPolicy
from rollouts.policies.published_prompts import read_system_prompt
from rollouts.services.collection import EpisodeCollector
from rollouts.services.queue import read_rollout_config
from rollouts.services.takeover_worker import Driver
from rollouts.serving.acting import Acting, find_acting
from rollouts.serving.endpoints import find_endpoint
from rollouts.serving.types import Endpoint
from rollouts.site_settings.sign_in_file import parse_sign_ins
from rollouts.site_settings.site_hosts_file import parse_hosts
from rollouts.site_settings.site_interface_file import parse_interfaces

Key = tuple[Any, ...]


class PolicyCache:
    """Holds one policy; loading another closes it."""

    def __init__(self) -> None:
        self._key: Key | None = None
        self._policy: Policy | None = None

    def load(self, uri: str, **options: object) -> Policy:
        """Return the policy at the address, from memory if its content is the same."""
        key = (settings.ROLLOUT_POLICY, uri, read_digest(uri), *sorted(options.items()))
        if self._policy is None or key != self._key:
            self.clear()
            load = import_string(settings.ROLLOUT_POLICY)
            self._policy = load(resolve_checkpoint(uri), **options)
            self._key = key
        return self._policy

    def rest(self) -> None:
        """Move the policy off the device: a training may need all of its memory."""
        if isinstance(self._policy, RestingPolicy):
            self._policy.rest()

    def clear(self) -> None:
        """Close the policy."""
        if self._policy is not None:
            self._policy.close()
        self._policy = self._key = None


POLICIES = PolicyCache()


def open_policy(phase: Phase, stage: str) -> Policy:
    """Return the policy that acts in this stage, at its temperature."""
    config = read_rollout_config(phase)
    algorithm = phase.run.config.get("algorithm", {})
    collects = stage == Phase.Status.COLLECTING
    acting = find_acting(phase, stage)
    uri = acting.uri
    return POLICIES.load(
        uri,
        weights=_resolve_weights(acting),
        endpoint=_share_endpoint(uri),
        temperature=(
            config.temperature_in(phase.number)
            if collects
            else config.evaluation_temperature
        ),
        max_prompt_tokens=int(algorithm.get("max_prompt_tokens", 16384)),
        max_action_tokens=int(algorithm.get("max_action_tokens", 512)),
        api_key=policy_key(uri),
        private_hosts=list_private_hosts(uri),
        observation=config.observation,
        action_dialect=config.action_dialect,
        served_prompt=config.served_prompt,
        chat_turns=config.chat_turns,
        vab_system=_vab_system(config),
    )


def _resolve_weights(acting: Acting) -> str:
    """The folder of the weights of a server, where they are trained here; else ""."""
    is_trained = is_served(acting.uri) and acting.weights_uri
    return resolve_checkpoint(acting.weights_uri) if is_trained else ""


def _share_endpoint(uri: str) -> Endpoint:
    """The server's settings, with one worker's share of its concurrent requests."""
    endpoint = find_endpoint(uri)
    share = max(1, endpoint.concurrency // settings.ROLLOUT_WORKERS)
    return dataclasses.replace(endpoint, concurrency=share)


def _vab_system(config: RolloutConfig) -> str:
    """The published system prompt where the run asks for it, else ""."""
    if config.served_prompt != "vab":
        return ""
    return read_system_prompt(settings.VAB_PROMPT_FILE)


def policy_key(uri: str) -> str:
    """The key of the served policy at `uri`; "" where the operator names none.

    A run's policy is typed into a form: no key may be sent to an arbitrary address.
    """
    if key := find_endpoint(uri).api_key:
        return key
    known = settings.POLICY_URL
    is_known = bool(known) and uri.partition("#")[0] == known
    return settings.POLICY_API_KEY if is_known else ""


def list_private_hosts(uri: str) -> tuple[str, ...]:
    """Hosts without a public address that a policy at `uri` may be served from."""
    own = (urlsplit(uri).hostname or "",) if is_operators(uri) else ()
    return (*settings.ALLOWED_PRIVATE_HOSTS, *own)


def open_collector(policy: Policy, config: RolloutConfig) -> EpisodeCollector:
    """Return a collector that has not been started."""
    path = settings.EPISODE_COLLECTOR
    module = importlib.import_module(path.rpartition(".")[0])
    options = _options(module.CollectorOptions, config)
    collector: EpisodeCollector = import_string(path)(policy, options)
    return collector


def open_episode(config: RolloutConfig) -> Driver:
    """Return an episode that a person will drive; it has not been started."""
    module = importlib.import_module("rollouts.collection.interactive_episode")
    driver: Driver = module.Hand(_options(module.CollectorOptions, config))
    return driver


def _options(kind: Any, config: RolloutConfig) -> Any:
    instances = list_instances()
    more = (url for urls in instances.values() for n, url in urls.items() if n > 1)
    named = parse_hosts(settings.SITE_HOSTS)
    return kind(
        contexts=config.contexts,
        sandbox_control_url=settings.SANDBOX_CONTROL_URL,
        browser_executable=settings.BROWSER_EXECUTABLE or None,
        browser_memory_mib=settings.BROWSER_MEMORY_MIB,
        episode_memory_mib=settings.EPISODE_MEMORY_MIB,
        addresses={key: urls[1] for key, urls in instances.items()},
        more_addresses=tuple(more),
        further_hosts=tuple(h for key in instances for h in named.get(key, ())),
        sign_ins=parse_sign_ins(settings.SITE_SIGN_INS),
        shops=_find_shops(instances),
        observation_form=config.observation,
        action_dialect=config.action_dialect,
        wait_s=config.wait_s,
        navigation_s=config.navigation_limit_s,
        deadline_s=config.step_time_limit_s,
        repeated=config.repeated_limit,
        typed=config.typing_limit,
        invalid=config.invalid_limit,
        whole_page=config.whole_page,
        acting=ActingOptions(config.typing, min(config.wait_s, MAX_ENTER_WAIT_S)),
        trace_folder=settings.TRACES_DIR,
        judge=find_judge(),
        verified_python=settings.WEBARENA_VERIFIED_PYTHON,
    )


def _find_shops(
    instances: Mapping[str, Mapping[int, str]],
) -> dict[str, ShopInterface]:
    """Return the interfaces of shops, without those that belong to another instance."""
    shops = parse_interfaces(settings.SITE_INTERFACES)
    return {
        key: shop
        for key, shop in shops.items()
        if shop.names_instance or len(instances.get(key, ())) < 2
    }


def find_judge() -> JudgeOptions | None:
    """The judge that the settings name; None where they name none."""
    if not settings.JUDGE_URL:
        return None
    return JudgeOptions(
        base_url=settings.JUDGE_URL,
        model=settings.JUDGE_MODEL,
        api_key=settings.JUDGE_API_KEY,
        prompts=PROMPTS_BY_WORD.get(settings.JUDGE_PROMPTS),
    )
