"""What a path or an address on a command line stands for, as far as safety is concerned. Pure; patterns are linear."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(
    r"(?:^|[/=@:~])(?:\.ssh(?:/|$)|\.aws(?:/|$)|\.gnupg(?:/|$)|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc"
    r"|\.git-credentials"
    r"|\.docker/config\.json|\.kube(?:/|$)|\.config/(?:gh|gcloud|op|hub)(?:/|$)|\.azure(?:/|$)|\.vault-token"
    r"|\.cargo/credentials|\.gem/credentials|\.terraform\.d/credentials|id_(?:rsa|dsa|ecdsa|ed25519)(?:$|\b(?!\.pub))"
    r"|authorized_keys|shadow$|sudoers|master\.key$|\.env(?:\.(?!example|sample|template|dist|test\b)[\w.-]+)?$"
    r"|Keychains/"
    r"|Login Data|cookies\.sqlite|logins\.json|key4\.db|credentials(?:\.json|\.csv|\.ya?ml)?$|secrets?\.(?:json|ya?ml"
    r"|env|toml)$"
    r"|service[-_]account[\w-]*\.json|wallet\.dat|\.password-store(?:/|$))|\.(?:pem|p12|pfx|jks|keystore|ppk)$"
    r"|/proc/(?:self|\d+)/environ",
    re.I,
)
_PUBLIC = re.compile(r"\.pub$|known_hosts$|\.ssh/config$|(?:ca|cert|chain|public|pub)[\w.-]*\.pem$", re.I)
_SYSTEM = re.compile(
    r"/(?:$|\*$|(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc|opt|root|System|Library|Applications|Windows)(?:/|$)"
    r"|var(?:/(?!tmp|folders|www)|$)|private/etc|dev/(?!null|stdout|stderr|tty|fd/|zero|random|urandom|shm))"
    r"|[A-Za-z]:[\\/]Windows"
)
_DEVICE = re.compile(r"/dev/(?:sd|hd|nvme|vd|xvd|mmcblk|disk|rdisk|mem|kmem|loop|dm-|mapper|sr|port)")
_STARTUP = re.compile(
    r"(?:^|/)(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|inputrc|vimrc"
    r"|xinitrc)"
    r"|\.config/(?:fish|autostart|systemd)|\.git/(?:hooks|config)|\.gitconfig|\.claude/|\.codex/|\.cursor/|LaunchAgents"
    r"|LaunchDaemons|crontabs?|cron\.\w+|sitecustomize\.py|\.husky/)"
)
_LOCAL_ADDRESS = re.compile(r"(?:https?://)?(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)(?::\d+)?(?:[/?]|$)")


def is_credential(word: str) -> bool:
    """Whether a word names a file that holds credentials; public keys and examples do not."""
    if len(word) < 4 or not _CREDENTIALS.search(word):
        return False
    return _PUBLIC.search(word) is None


def is_system(path: str) -> bool:
    """Whether a path belongs to the system, or is the root of it."""
    return _SYSTEM.match(path) is not None


def is_device(path: str) -> bool:
    """Whether a path is a disk or memory device."""
    return _DEVICE.search(path) is not None


def is_startup(path: str) -> bool:
    """Whether what is written there runs by itself later (shell startup, hooks, agents' settings)."""
    return _STARTUP.search(path) is not None


def is_local_address(url: str) -> bool:
    """Whether an address is this machine."""
    return _LOCAL_ADDRESS.match(url) is not None
