"""Which commands only look or move about, as data.

The rule: a command is noise when leaving it out changes nothing that a later command or a person would notice: it
shows (`ls`, `git status`, `kubectl get`), moves about (`cd`), waits, prints or opens an editor. Inline code
(`python -c`, `node -e`) is noise too: people look with it, and it is another one each time. Not noise is what changes
something, what runs the project (tests, builds, servers) and what *checks* a result that is reported or released:
`npm view`, `pip index versions`, `gh run watch`, `gh pr checks`, `gh release view`. Behind a pipe, viewers and filters
are noise; `echo x > file` writes and is not.
"""

from __future__ import annotations

from wellworn.lifecycle.shell.words import words_of


def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.replace("\n", ",").split(",") if line.strip())


VIEWERS = words_of(
    "ls ll la dir cat bat batcat head tail less more most grep egrep fgrep rg ag ack find fd fdfind locate pwd cd pushd"
    " popd dirs echo printf which type whereis whoami hostname wc tree date cal uptime true false : test [ [[ sleep"
    " wait"
    " clear reset history man info help tldr file stat du df free ps pgrep top htop btop id groups who w uname arch"
    " nproc printenv export unset set alias unalias source . jq yq awk gawk mawk nawk sort uniq cut tr column paste"
    " join"
    " xxd od hexdump strings diff cmp comm colordiff delta nl tac rev fold fmt basename dirname realpath readlink seq"
    " yes exa eza lsof netstat ss ping dig nslookup tput read jobs fg bg disown exit return break continue"
    " shift local declare typeset readonly ulimit umask shopt hash command xargs lsblk lscpu lsb_release sw_vers env"
    " exec builtin let trap vim vi nvim nano emacs ed code subl open xdg-open micro hx zed journalctl dmesg tmux screen"
    " getconf tokei cloc scc expr bc tee sed base64 tldr"
)
LOOKING = _lines(
    """git, git status, git log, git diff, git show, git blame, git shortlog, git reflog, git rev-parse, git describe
    git ls-files, git ls-tree, git grep, git cat-file, git config --get, git config --list, git config -l
    git stash list
    git stash show, git worktree list, git rev-list, git merge-base, git name-rev, git help, git whatchanged
    git range-diff
    git remote show, git remote get-url, git fetch --dry-run, git tag -l, git var, git count-objects, git show-ref
    git for-each-ref, git diff-tree, git check-ignore, git symbolic-ref
    gh pr view, gh pr list, gh pr status, gh pr diff, gh issue view, gh issue list, gh issue status, gh repo view
    gh repo list, gh run list, gh run view, gh workflow list, gh workflow view, gh auth status, gh release list
    gh search prs, gh search issues, gh search code, gh search repos, gh status, gh label list
    npm ls, npm outdated, npm help, npm root, npm prefix, npm bin, npm search, npm explain, npm why, npm fund
    npm config
    npm config list, npm config get, pnpm ls, pnpm list, pnpm outdated, pnpm why, yarn list, yarn outdated, yarn why
    yarn info, bun pm, pip list, pip show, pip freeze, pip search, uv pip list, uv pip show, uv pip freeze, uv tree
    uv python list, uv tool list, poetry show, poetry env list, poetry env info, conda list, conda info, conda env list
    cargo tree, cargo search, cargo metadata, go env, go list, go version, go doc, gem list, bundle list, bundle show
    composer show, brew list, brew info, brew search, brew services list, apt list, apt show, apt search, dnf list
    rustup show, rustup toolchain list
    docker ps, docker logs, docker images, docker inspect, docker stats, docker top, docker info, docker version
    docker history, docker port, docker events, docker diff, docker container ls, docker container inspect
    docker image ls
    docker image inspect, docker volume ls, docker network ls, docker system df, docker context ls, docker compose ps
    docker compose logs, docker compose config, docker compose images, docker compose top, docker buildx ls
    kubectl get, kubectl describe, kubectl logs, kubectl top, kubectl explain, kubectl version, kubectl api-resources
    kubectl cluster-info, kubectl config, kubectl config get-contexts, kubectl config view
    kubectl config current-context
    kubectl top pods, kubectl top nodes, kubectl top pod, kubectl top node, kubectl events, kubectl diff
    helm list, helm ls, helm get, helm history, helm show, helm search, helm repo list
    terraform show, terraform output, terraform state list, terraform state show, terraform providers, terraform graph
    terraform version, tofu show, tofu output, pulumi stack ls, systemctl status, systemctl list-units
    systemctl is-active
    systemctl show, systemctl cat, gcloud config list, gcloud auth list, heroku logs, heroku ps, fly logs, fly status
    vercel ls, vercel logs, alembic history, alembic current, alembic heads, rails routes, rake -T, just --list, just -l
    python -c, node -e, node --eval, node -p, ruby -e, perl -e, php -r, python -, node -, crontab -l, nix search, tox -l
    tmux ls, code, dotnet --info"""
)
LOOKING_VERBS = words_of("list describe ls show get tail read")
"""In clouds' command lines (`gcloud run services list`)."""
CLOUDS = words_of("aws gcloud az")
ASKING = words_of("--version -V --help -h -v version help")
"""Alone behind a known program, it only asks what that is."""
