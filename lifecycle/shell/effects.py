"""What common commands do to the world, as data: by the words that name the work, the longest that fits counts."""

from __future__ import annotations

from wellworn.lifecycle.shell.words import words_of

READ, WRITE, DESTROYS, EXTERNAL, CREDENTIAL = (
    "local_read",
    "local_write",
    "destructive",
    "external_change",
    "credential",
)


def _lines(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split(",") if part.strip()]


_TABLE: tuple[tuple[str, str, str], ...] = (
    (
        READ,
        "",
        """git status, git log, git diff, git show, git branch, git tag, git remote, git blame, git shortlog
        git reflog
        git rev-parse, git describe, git ls-files, git ls-tree, git ls-remote, git grep, git cat-file, git rev-list
        git merge-base, git name-rev, git help, git stash list, git stash show, git worktree list, git remote show
        git remote get-url, git config --get, git config --list, git config -l, git show-ref, git for-each-ref
        git diff-tree, git check-ignore, git symbolic-ref, git count-objects, git var, git version, git fsck
        git verify-commit, git verify-tag, git range-diff, git cherry, git bisect log, git show-branch, git whatchanged
        gh pr view, gh pr list, gh pr status, gh pr diff, gh pr checks, gh issue view, gh issue list, gh issue status
        gh repo view, gh repo list, gh run list, gh run view, gh run watch, gh workflow list, gh workflow view
        gh auth status, gh release list, gh release view, gh search, gh status, gh label list, gh gist view
        gh gist list
        gh cache list, gh variable list, gh secret list, gh ruleset list, gh project list, gh project view, gh version
        npm ls, npm view, npm outdated, npm help, npm root, npm prefix, npm search, npm explain, npm fund, npm audit
        npm whoami, npm config get, npm config list, npm ping, npm doctor, npm query, npm why, npm bin, npm dist-tag ls
        npm access list, npm owner ls, npm pkg get, npm docs, npm repo
        pnpm ls, pnpm list, pnpm outdated, pnpm why, pnpm audit, yarn list, yarn outdated, yarn why, yarn info
        yarn audit
        bun pm, bun outdated, pip list, pip show, pip freeze, pip check, pip index, pip search, pip help, pip debug
        uv pip list, uv pip show, uv pip freeze, uv pip check, uv pip tree, uv tree, uv python list, uv tool list
        uv version
        poetry show, poetry check, poetry env info, poetry env list, poetry version, poetry about, pdm list
        hatch env show
        conda list, conda info, conda env list, twine check, gem list, gem search, gem info, bundle list, bundle show
        bundle outdated, composer show, composer validate, composer outdated, dotnet list, cargo tree, cargo search
        cargo metadata, cargo audit, cargo outdated, cargo --version, go env, go list, go version, go doc, go vet
        rustup show, brew list, brew info, brew search, brew outdated, brew doctor, brew deps, apt list, apt show
        apt search, apt-cache, dnf list, dnf search, dnf info, dpkg -l, rpm -q
        docker ps, docker logs, docker images, docker inspect, docker stats, docker top, docker info, docker version
        docker history, docker port, docker events, docker diff, docker search, docker container ls
        docker container list
        docker container inspect, docker image ls, docker image inspect, docker image history, docker volume ls
        docker volume inspect, docker network ls, docker network inspect, docker system df, docker system info
        docker context ls, docker context show, docker compose ps, docker compose logs, docker compose config
        docker compose images, docker compose top, docker compose ls, docker compose version, docker buildx ls
        docker buildx inspect, docker manifest inspect, docker service ls, docker service ps, docker stack ls
        kubectl get, kubectl describe, kubectl logs, kubectl top, kubectl explain, kubectl version, kubectl diff
        kubectl api-resources, kubectl api-versions, kubectl cluster-info, kubectl events, kubectl wait
        kubectl config view, kubectl config get-contexts, kubectl config current-context, kubectl rollout status
        kubectl rollout history, kubectl auth can-i, kubectl kustomize
        helm list, helm ls, helm status, helm get, helm history, helm show, helm search, helm template, helm lint
        helm version, helm repo list, helm diff, helm env, helm verify
        terraform plan, terraform show, terraform output, terraform validate, terraform version, terraform providers
        terraform graph, terraform state list, terraform state show, terraform workspace list, terraform workspace show
        tofu plan, tofu show, tofu output, tofu validate, tofu state list, pulumi preview, pulumi stack ls, pulumi about
        systemctl status, systemctl list-units, systemctl list-timers, systemctl is-active, systemctl is-enabled
        systemctl show, systemctl cat, systemctl list-unit-files, systemctl is-failed
        gcloud config list, gcloud auth list, gcloud info, gcloud version, gsutil ls, gsutil cat, gsutil stat, gsutil du
        aws s3 ls, aws sts get-caller-identity, aws configure list, aws help, heroku logs, heroku ps, heroku apps
        heroku info
        fly logs, fly status, fly apps list, fly releases, vercel ls, vercel list, vercel logs, vercel inspect
        vercel whoami
        netlify status, wrangler whoami, wrangler tail, wrangler dev, firebase projects:list, alembic history
        alembic current, alembic heads, alembic check, alembic show, rails routes, flask routes, prisma validate
        crontab -l, ruff check, mypy, pyright, flake8, pylint, tsc --noEmit, shellcheck, hadolint, yamllint, actionlint
        markdownlint, bandit, semgrep, vulture, codespell, typos, jsonlint, commitlint, black --check, isort --check
        isort --check-only, prettier --check, ruff format --check, cargo fmt --check, cargo clippy, cargo check
        ruff rule
        ruff version, eslint, stylelint, golangci-lint run, goreleaser check, dot, openssl version, openssl x509
        openssl verify, openssl dgst, gpg --list-keys, gpg --verify, ansible-lint, nix search, nix eval
        pre-commit sample-config
        changeset status, python -m json.tool, python -m site, python -m this, python -m platform, tox -l, uptime
        sha256sum, sha1sum, sha512sum, md5sum, shasum, cksum, sum, b2sum, ldd, nm, objdump, readelf, otool, size, file
        ffprobe, identify, exiftool, mediainfo, pdfinfo, pdftotext, zipinfo, zcat, zgrep, bzcat, xzcat, zless, lscpu
        lsusb
        lspci, iostat, vmstat, getent, last, traceroute, host, whois, nc -z, swift --version, xcodebuild -list
        pandoc -v
        xcrun simctl list, adb devices, adb logcat, tmux ls, cmp, ccze, glow, mdcat, fzf, tig, gitk, hexyl, pstree
        numfmt
        nm, ltrace, pidof, arch, nproc, locale, tty, users, sleep, :, [, [[, true, false, test, look, factor, printf
        echo""",
    ),
    (
        WRITE,
        "",
        """git add, git commit, git checkout, git switch, git merge, git rebase, git pull, git fetch, git clone
        git init
        git stash, git cherry-pick, git revert, git reset, git mv, git rm, git apply, git am, git format-patch
        git bisect
        git worktree add, git submodule, git restore, git remote add, git remote rename, git remote set-url, git config
        git branch -m, git branch -M, git notes, git archive, git bundle, git sparse-checkout, git maintenance, git gc
        git lfs pull, git lfs track, git lfs install, git lfs fetch, git tag -l, git remote update, git mergetool
        git flow
        git subtree add, git subtree pull, git subtree split, git rerere, git update-index, git write-tree
        git merge-tree
        gh pr checkout, gh repo clone, gh run download, gh release download, gh gist clone, gh completion
        gh repo set-default, gh extension list
        npm ci, npm install, npm uninstall, npm update, npm version, npm test, npm start, npm stop, npm restart
        npm pack
        npm init, npm link, npm dedupe, npm prune, npm rebuild, npm audit fix, npm cache, npm shrinkwrap, npm pkg set
        npm pkg, npm install -g, npm install-test, npm it, npm cit
        pnpm install, pnpm add, pnpm remove, pnpm update, pnpm test, pnpm start, pnpm link, pnpm init, pnpm import
        pnpm rebuild, pnpm prune, pnpm fetch, pnpm pack, pnpm version, pnpm store, pnpm patch, pnpm setup, pnpm env
        yarn install, yarn add, yarn remove, yarn upgrade, yarn up, yarn test, yarn start, yarn link, yarn init
        yarn pack
        yarn version, yarn dedupe, yarn cache, yarn workspace, yarn workspaces, yarn set, yarn plugin, yarn autoclean
        bun install, bun add, bun remove, bun update, bun test, bun build, bun init, bun create, bun link
        deno test, deno lint, deno fmt, deno check, deno cache, deno compile, deno bundle
        pip install, pip uninstall, pip download, pip wheel, pip cache, pip install -e, pip install -U, pip config
        uv add, uv remove, uv sync, uv lock, uv venv, uv pip install, uv pip uninstall, uv pip compile, uv pip sync
        uv build
        uv init, uv python install, uv tool install, uv export, uv cache, uv format, uv python pin
        pipx install, pipx upgrade, pipx list, pipx inject, pipx uninstall
        poetry install, poetry add, poetry remove, poetry update, poetry lock, poetry build, poetry init, poetry new
        poetry export, poetry env use, poetry config, poetry self, poetry sync
        pdm install, pdm add, pdm update, pdm build, pdm lock, pdm sync, hatch build, hatch version, hatch env create
        hatch test, hatch fmt, hatch new, rye sync, rye add, rye build, rye lock, rye test, rye lint, rye fmt
        pipenv install, pipenv lock, pipenv sync, pipenv update, conda create, conda install, conda update
        conda activate
        conda env create, conda env update, conda env export, mamba install, mamba create, conda deactivate
        gem install, gem build, gem update, bundle install, bundle update, bundle lock, bundle add, bundle config
        composer install, composer update, composer require, composer remove, composer dump-autoload, dotnet build
        dotnet test, dotnet restore, dotnet run, dotnet clean, dotnet pack, dotnet add, dotnet new, dotnet format
        dotnet tool restore, dotnet tool install, dotnet sln, dotnet publish
        cargo build, cargo test, cargo run, cargo bench, cargo doc, cargo fmt, cargo clean, cargo add, cargo remove
        cargo update, cargo install, cargo fix, cargo clippy --fix, cargo package, cargo new, cargo init, cargo fetch
        cargo vendor, cargo nextest, cargo llvm-cov, cargo tarpaulin, cargo generate-lockfile, cargo expand, cargo watch
        rustup update, rustup install, rustup target, rustup component, rustup toolchain, rustup override
        rustup default
        go build, go test, go run, go mod, go get, go install, go generate, go fmt, go clean, go work, go tool, go fix
        brew install, brew upgrade, brew update, brew cleanup, brew tap, brew link, brew bundle
        docker build, docker pull, docker start, docker stop, docker restart, docker create, docker tag, docker load
        docker save, docker commit, docker cp, docker wait, docker pause, docker unpause, docker rename, docker attach
        docker export, docker import, docker buildx build, docker buildx create, docker buildx use
        docker network create
        docker volume create, docker compose up, docker compose build, docker compose pull, docker compose start
        docker compose stop, docker compose restart, docker compose create, docker compose watch, docker context use
        docker container start, docker container stop, docker image build, docker image pull, docker image tag
        docker run
        docker kill, docker compose kill, docker compose cp, docker container create
        kubectl config use-context, kubectl config set-context, kubectl port-forward, kubectl completion
        helm dependency, helm package, helm pull, helm create, helm repo add, helm repo update, helm plugin install
        terraform init, terraform fmt, terraform get, terraform workspace select, terraform workspace new, tofu init
        tofu fmt
        mvn, gradle, ant, sbt, cmake, ctest, ninja, meson, cmake --build, bazel build, bazel test, bazel run
        bazel query
        bazel clean, nx, turbo, lerna run, lerna bootstrap, lerna version, changeset, changeset version, changeset add
        pytest, jest, vitest, mocha, ava, tape, tap, karma, cypress, playwright, phpunit, rspec, cucumber, behave
        nose2, tox
        nox, ctest, unittest, coverage, hypothesis, bats, busted, python -m unittest, python -m doctest
        python -m coverage
        python -m venv, python -m build, python -m compileall, python -m virtualenv, python -m ensurepip
        python -m cProfile
        python -m zipfile, python -m timeit, python -m PyInstaller, python -m webbrowser, virtualenv, pyinstaller
        ruff check --fix, ruff format, ruff clean, black, isort, autopep8, yapf, autoflake, pyupgrade, prettier
        prettier --write, eslint --fix, gofmt, goimports, rustfmt, clang-format, shfmt, stylua, biome, oxlint, dprint
        standard, xo, tsc, tsgo, tsup, rollup, webpack, vite, parcel, esbuild, swc, babel, next, nuxt, astro, svelte-kit
        storybook, sass, postcss, tailwindcss, concurrently, npm-run-all, run-s, run-p, wait-on, husky
        lint-staged, commitizen, standard-version, knip, depcheck, madge, typedoc, jsdoc, sphinx-build, mkdocs build
        mkdocs serve, mdbook build, mdbook serve, hugo, jekyll build, jekyll serve, doxygen, typst, pdflatex
        latexmk, pandoc
        pre-commit run, pre-commit install, pre-commit autoupdate, pre-commit uninstall, pre-commit validate-config
        alembic revision, prisma generate, prisma format, rails generate, rails server
        flask run, uvicorn, gunicorn, hypercorn, http-server, live-server, serve, php -S, artisan serve
        goreleaser build, goreleaser init, gcc, g++, cc, clang, clang++, rustc, javac, ld, ar, swiftc, swift build
        swift test
        swift run, xcodebuild, ghc, stack build, stack test, cabal build, cabal test, mix test, mix compile, mix format
        mix deps.get, dune build, dune test, zig build, zig test, zig fmt, nim compile, flutter test
        flutter build, flutter pub, flutter analyze, dart test, dart format, dart analyze, dart pub get, pod install
        mkdir, touch, cp, mv, ln, install, tar, zip, unzip, gzip, gunzip, bzip2, bunzip2, xz, unxz, zstd, 7z, unrar, tee
        chmod, chown, chgrp, split, csplit, patch, dos2unix, unix2dos, convert, magick, ffmpeg, sox, mktemp
        wget, rename, mogrify, jupyter nbconvert, nvm, fnm, n, volta, asdf, mise install, mise use, pyenv
        rbenv, sdk, direnv allow, nix build, nix flake, nix fmt, nix-build, nix develop, nix shell, nix-shell, kill
        pkill
        killall, open, xdg-open, code, vim, vi, nvim, nano, emacs, ed, subl, micro, hx, ansible-, envsubst
        rmdir, cookiecutter, copier, degit, create-next-app, create-react-app, create-vite, codegen
        graphql-codegen, openapi-generator, protoc, buf lint, buf generate, buf build, sqlfluff, sqlc generate
        git-cliff, git-chglog, conventional-changelog, auto-changelog, bump2version, bumpversion, bump-my-version, cz
        towncrier, scriv, reno, svgo, cspell, lighthouse, size-limit, c8, nyc, gcovr, lcov, genhtml
        watchman, watchexec, entr, dvc repro, dvc status, dvc add""",
    ),
    (WRITE, "git_tag", "git tag <new>"),
    (
        EXTERNAL,
        "git_push",
        "git push, git lfs push, git subtree push, git svn dcommit, git send-email, git p4 submit, git-lfs push",
    ),
    (EXTERNAL, "pr_merge", "gh pr merge, glab mr merge, hub merge"),
    (
        EXTERNAL,
        "publish",
        """npm publish, npm dist-tag, npm deprecate, npm access, npm owner, npm team, npm org, npm star, pnpm publish
        yarn publish, yarn npm, bun publish, cargo publish, cargo owner, cargo release, twine upload, twine register
        poetry publish, uv publish, hatch publish, pdm publish, rye publish, flit publish, maturin publish
        maturin upload
        setup.py upload, gem push, gem owner, docker push, docker image push, docker compose push, docker manifest push
        docker buildx imagetools, helm push, helm registry, goreleaser, goreleaser release, semantic-release
        release-it, np, changeset publish, lerna publish, nuget push, dotnet nuget, vsce publish, ovsx publish
        gh release create, gh release upload, gh release edit, mvn deploy, mvn release:perform, mvn release:prepare
        gradle publish, gradle publishToMavenL, sbt publish, jsr publish, deno publish, dart pub publish
        flutter pub publish, mix hex.publish, pod trunk publish, conda upload, anaconda upload, cpan-upload
        stack upload, cabal upload, luarocks upload, buf push, skopeo copy, crane push, crane copy, oras push
        podman push
        semantic-release publish, python-semantic-release, jreleaser, rake release, mkdocs gh-deploy, gh-pages
        huggingface-cli upload, hf upload, kaggle datasets, wandb sync, dvc push, docker trust""",
    ),
    (
        EXTERNAL,
        "deploy",
        """kubectl apply, kubectl create, kubectl scale, kubectl set, kubectl patch, kubectl edit, kubectl replace
        kubectl rollout, kubectl run, kubectl expose, kubectl autoscale, kubectl label, kubectl annotate, kubectl cordon
        kubectl drain, kubectl uncordon, kubectl taint, kubectl cp, kubectl attach, kubectl debug
        helm upgrade, helm install, helm rollback, helm test, helmfile, argocd, flux, skaffold
        terraform apply, terraform import, terraform taint, terraform state, terraform refresh, terraform force-unlock
        tofu apply, tofu import, tofu state, pulumi up, pulumi update, pulumi import, pulumi refresh, pulumi config, cdk
        cdk deploy, cdk bootstrap, sam deploy, sam sync, serverless deploy, serverless, serverless invoke, copilot
        ansible, ansible-playbook, vercel, vercel deploy, vercel promote, vercel rollback, vercel alias, vercel env
        netlify deploy, netlify, wrangler deploy, wrangler publish, wrangler pages, wrangler d1, wrangler kv
        wrangler r2
        firebase deploy, firebase, fly, fly deploy, fly launch, fly scale, fly apps, fly machine, fly machines, heroku
        heroku container:release, heroku restart, railway, railway up, render, dokku, cap, kamal, kamal deploy, eb
        eb deploy
        docker stack, docker service, docker swarm, nomad, nomad run, gcloud, az, aws, gsutil, oci, doctl, linode-cli
        s3cmd, rclone, mc, sftp, ftp, lftp, ncftp, kubeadm, eksctl, kops, alembic upgrade
        alembic downgrade, alembic stamp, prisma migrate, prisma db, flask db, rails db:migrate, rake db:migrate
        sequelize
        knex, flyway, liquibase, dbmate, goose, migrate, atlas, supabase, now, surge""",
    ),
    (
        EXTERNAL,
        "external_change",
        """gh, gh pr create, gh pr close, gh pr comment, gh pr review, gh pr edit, gh pr ready, gh pr reopen
        gh issue create
        gh issue close, gh issue comment, gh issue edit, gh repo create, gh repo edit, gh repo fork, gh repo rename
        gh repo sync, gh repo archive, gh workflow run, gh workflow enable, gh workflow disable, gh run rerun
        gh run cancel
        gh gist create, gh gist edit, gh api, gh variable set, gh label create, gh project, gh codespace
        gh extension install
        gh auth refresh, glab, hub, slack, mail, mailx, sendmail, mutt, msmtp, twurl, http, https, xh, grpcurl, httpie
        telnet, nc, ncat, netcat, socat, ssh-copy-id, sentry-cli, datadog-ci, stripe, twilio, jira, linear, acli
        codecov, coveralls, travis, circleci, gitlab-runner, npm profile, npm hook
        pulumi stack, hf, huggingface-cli, ngrok, cloudflared, tailscale""",
    ),
    (
        EXTERNAL,
        "system_change",
        """systemctl, service, launchctl, crontab, at, batch, apt, apt-get, dnf, yum, pacman, apk, zypper, snap
        flatpak, dpkg
        rpm, port, choco, winget, scoop, brew services, useradd, usermod, groupadd, adduser, visudo, sysctl, modprobe
        insmod, iptables, nft, ufw, firewall-cmd, mount, umount, swapon, swapoff, shutdown, reboot, halt, poweroff, init
        setenforce, timedatectl, hostnamectl, ip, ifconfig, route, nmcli, networksetup, defaults, scutil, csrutil, pmset
        update-alternatives, ldconfig, chsh, loginctl, chattr, setfacl, nixos-rebuild, home-manager, vagrant, virsh
        virt-install, wsl, softwareupdate, tccutil, spctl, xattr, codesign, osascript""",
    ),
    (
        DESTROYS,
        "delete",
        """rm, unlink, shred, srm, wipe, truncate, rimraf, trash, del, git clean, git reset --hard, git branch -d
        git branch -D
        git tag -d, git stash drop, git stash clear, git filter-branch, git filter-repo, git worktree remove
        git worktree prune, git remote remove, git remote rm, git update-ref, git reflog expire, git reflog delete
        git prune, git submodule deinit, git notes remove, bfg, gh repo delete, gh release delete
        gh release delete-asset
        gh issue delete, gh gist delete, gh run delete, gh cache delete, gh variable delete, gh label delete
        npm unpublish, cargo yank, gem yank, docker rm, docker rmi, docker prune, docker system prune
        docker image prune, docker image rm, docker container rm, docker container prune, docker volume rm
        docker volume prune, docker network rm, docker network prune, docker builder prune, docker buildx rm
        docker buildx prune, docker compose down, docker compose rm, docker stack rm, docker service rm
        docker secret rm
        docker context rm, docker swarm leave, docker system prune -a
        kubectl delete, helm uninstall, helm delete, terraform destroy, terraform state rm, terraform workspace delete
        tofu destroy, pulumi destroy, pulumi stack rm, cdk destroy, serverless remove, sam delete, fly apps destroy
        fly destroy, fly volumes destroy, heroku apps:destroy, heroku pg:reset, vercel rm, vercel remove
        wrangler delete
, dropdb, dropuser, mkfs, fdisk, parted, sfdisk, gdisk, wipefs, dd, mkswap, lvremove, vgremove
        pvremove, zpool, zfs, btrfs, mdadm, cryptsetup, userdel, groupdel, deluser, conda remove, conda env remove
        rails db:drop, rails db:reset, rake db:drop, prisma migrate reset, apt purge, apt-get purge
        brew uninstall, gsutil rm, gsutil rb, aws s3 rm, aws s3 rb, rclone delete, rclone purge, rclone sync
        s3cmd del, mc rm
, crontab -r, history -c, pm2 delete, kind delete, minikube delete, k3d cluster, vagrant destroy""",
    ),
    (
        CREDENTIAL,
        "credential_change",
        """gh auth login, gh auth logout, gh auth token, gh auth setup-git, gh secret set, gh secret delete
        gh secret remove
        gh ssh-key, gh gpg-key, npm login, npm logout, npm adduser, npm token, npm set, npm config set, pnpm login
        yarn login, yarn npm login, cargo login, cargo logout, docker login, docker logout, docker secret create
        helm registry login, gem signin, aws configure, aws configure set, aws sso
        aws secretsmanager, aws ssm, aws iam, aws sts, gcloud auth, gcloud secrets, az login, az keyvault, az ad
        heroku login, heroku auth, heroku config, heroku config:set, heroku config:get, fly auth, fly secrets
        vercel login
        vercel env pull, netlify login, wrangler login, wrangler secret, firebase login, terraform login, pulumi login
        kubectl config set-credentials, kubectl create secret, kubectl get secret, kubectl get secrets, doctl auth
        ssh-keygen, ssh-add, ssh-agent, gpg, gpg2, pass, op, bw, vault, keyctl, security, secret-tool, certbot, htpasswd
        passwd, chpasswd, su, sudo, doas, openssl, age, sops, git credential, git credential-store
        git credential-osxkeychain
        keytool, kinit, aws-vault, chamber, doppler, infisical, firebase login:ci, cloudflared tunnel, tailscale up
        stripe login, hf auth, huggingface-cli login, wandb login, login, mkcert, step, gpgconf, railway login""",
    ),
)
EFFECTS: dict[str, tuple[str, str]] = {name: (klass, action) for klass, action, text in _TABLE for name in _lines(text)}
"""By `program subcommand [--flag]`: (class, action)."""

ACTION_REASONS = {
    "git_push": "pushes to a remote repository",
    "git_force_push": "overwrites what is in a remote repository",
    "git_tag": "makes a tag",
    "pr_merge": "merges a pull request",
    "publish": "publishes",
    "deploy": "changes what runs or is stored elsewhere",
    "delete": "deletes or throws away",
    "external_change": "changes something outside this machine",
    "system_change": "changes the machine itself",
    "credential_change": "makes or changes credentials",
    "credential_read": "reads credentials",
    "download_and_run": "runs what it downloads or decodes",
    "inline_code": "runs code given on the line",
    "local_code": "runs code of the repository",
    "remote": "runs on another machine",
    "startup_change": "changes what runs at a start or at an event",
}
TASK_RUNNERS = words_of(
    "make just task rake invoke inv fab gulp grunt mage nx turbo mise hatch pdm rye pipenv devbox mvn gradle ant sbt"
)
SAFE_TASK = words_of(
    "build test tests lint check format fmt fix dev start serve watch clean install setup docs doc typecheck types"
    " compile"
    " coverage cov bench ci verify validate generate gen codegen preview help list default all unit integration e2e"
    " spec"
    " style pretty prettier eslint stop up logs debug run storybook sync lock vet audit bundle package dist prepare"
    " init"
)
RISKY_NAME = words_of(
    "publish deploy release push delete destroy drop purge wipe remove upload ship prod production rollback promote"
    " teardown nuke reset migrate provision sign notarize send announce live cleanup undeploy unpublish rotate"
)
DRY_RUN = words_of(
    "git npm pnpm yarn cargo kubectl helm rsync make aws poetry uv semantic-release docker hatch gradle lerna"
)
"""Programs whose `--dry-run` changes nothing."""
LOADERS = words_of(
    "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV PROMPT_COMMAND PYTHONSTARTUP PYTHONPATH PERL5OPT"
    " RUBYOPT"
    " NODE_OPTIONS GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER PAGER EDITOR"
    " VISUAL"
    " LESSOPEN MANPAGER PATH GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS IFS BROWSER"
)
"""Variables that make a command run something else."""
HARMLESS_LOADED = words_of("PYTHONPATH NODE_OPTIONS PAGER GIT_PAGER LD_LIBRARY_PATH PATH EDITOR VISUAL GIT_EDITOR")
HARMLESS_VALUE = words_of("cat less more true : vim vi nano")
