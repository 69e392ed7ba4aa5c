"""Messages of persons, labelled by hand. The first half was written before the rules, the second after them."""

FIRST_CORRECTIONS = """
no, use pnpm
No use yarn, not npm
not that one
not that file, the other one
that's wrong, the port is 5433
that is not what I asked for
use pnpm instead of npm
please use ripgrep rather than grep
don't use npm, we use pnpm here
I told you to run the linter first
again: never commit to main
stop adding comments everywhere
stop doing that
always run the tests before you commit
never push to main
I said the staging db, not production
you forgot to update the changelog
wrong branch
wrong directory, cd into packages/api
actually, use the v2 endpoint
actually no, keep the old name
nope, still the old behaviour. use the other config
why did you use npm? we use pnpm
you were supposed to squash the commits
revert that, I didn't ask for a refactor
undo that please
we don't use jest here, it's vitest
it should be make check, not make test
that's not right
this is the wrong file
I meant the frontend tests
no no no, the other repo
you should have run the migration first
please don't amend commits that were pushed
do not touch the lock file
nein, nimm pnpm statt npm
falsch, das ist der alte Branch
non, utilise pnpm
ce n'est pas ça, c'est l'autre fichier
no, usa pnpm en lugar de npm
eso no es lo que pedí
não, use o pnpm
不对，用 pnpm
不要用 npm
違う、pnpmを使って
""".strip().splitlines()

FIRST_OTHERS = """
no problem
no worries, take your time
No, that's all, thanks
actually this looks good
not bad
use the release skill
can you use pnpm?
don't worry about it
ship a new release
run the tests
why does the build fail?
what is the difference between npm and pnpm?
add a button that says "no, thanks"
fix the wrong error message in the login form
is that wrong?
no idea, what do you think?
yes, go on
looks right to me
looks good, no changes needed
the test says "expected 3, not 4", please fix it
create a function that never returns null
can you explain why this is not working?
not sure, maybe look at the logs
the login is wrong for users without a name, find out why
please stop the dev server
stop
continue
do you know how to use the new API?
I don't know which one is better
never mind
nevermind, it works now
let's use redis for the cache
use a blue background for the header
write a test for the case that the user said no
how do I undo the last commit?
please revert commit 3f2a91c
actually, can you also add a test?
no rush
there is no file called config.yaml, create one
always nice to see green tests
nein danke
kein Problem
pas de problème, merci
no hay problema
没问题
問題ない
""".strip().splitlines()

SECOND_CORRECTIONS = """
no, the tests live in tests/unit
noooo, dont delete the snapshots
that didn't answer my question, I wanted the list of endpoints
I'd rather you used poetry here
we agreed on snake_case
please no emojis in commit messages
hmm, that's the old API. the new one is in v3/
the migration goes into db/migrate, not into scripts
you're editing the generated file again
you ran it against prod, it has to be staging
could you please stop rewriting my comments
I want tabs, not spaces
spaces please, not tabs
not main, develop
don't run the whole suite, only the changed tests
once more: run make fmt before you commit
as I said before, no force pushes
it's called "wellness" not "wellnes"
why are you using sudo again?
the correct command is make release-dry
change that to a squash merge
you need to bump the version first
do the migration before the deploy, not after
leave the README alone
keep the public API as it was
no more than one commit per change, please
we never rebase shared branches
that command is for the old CI, use gh workflow run now
ok but without the console.log statements
ehm no, other way round
the opposite: enable it by default
stop using any in TypeScript
don't hardcode the url
that's the staging bucket, I meant production
please follow the naming convention: use kebab-case for files
must be https, not http
use the existing helper instead of writing a new one
you still haven't updated the lock file
I asked for a plan, not code
wrong, the flag is --no-verify
nicht npm, sondern pnpm
das stimmt nicht, der Port ist 5433
ich meinte den anderen Branch
non, pas ce fichier
n'utilise jamais npm ici
pas npm, pnpm
no, eso está mal
no uses npm, usa pnpm
não, isso está errado
errado, a branch é develop
不是这个文件
错了，应该是 5433
别动那个文件
それは違います
npmじゃなくてpnpm
""".strip().splitlines()

SECOND_OTHERS = """
no that's perfect
no need to run it again, thanks
nope, all good
not urgent, but could you look at issue 12?
I don't think we need more tests
that's not a bad idea
that's right
you were right about the cache
you should be able to run it now
you can use npm or pnpm
use pnpm
use port 3000
run make check
please run the linter
always green, well done
why is the test not working?
why did the deploy fail?
did you run the tests?
should I use pnpm or npm?
is it wrong to commit the lock file?
what does "not a git repository" mean?
explain the difference between merge and rebase, not too long
add a check that the user is not logged in
implement undo
make the button red instead of blue
replace npm with pnpm in the docs
move the tests into tests/unit
rename the function to not_found
write a rule that says never push to main
fix the "do not use" warning
the app should not crash if the file is missing
if the name is wrong, show an error
when the user is not found return 404
I have never used docker, how does it work?
I said yes
I told my team that we ship on Friday
again please
try again
one more time
that was quick, thanks
actually nice
actually it works now
actually, how long does it take?
great, now do the same for the other file
wrongly formatted dates should be rejected by the parser
remove the feature flag
revert the commit from yesterday
undo the migration on staging
don't you think that is too slow?
nothing else
not much, just checking in
stop the server and start it again
nächster Schritt bitte
nein, alles gut, danke
non merci, c'est parfait
no, gracias
não, obrigado
不用了，谢谢
大丈夫です
不错
""".strip().splitlines()

THIRD_CORRECTIONS = """
no that branch is dead, use release/2.x
Nope. The config is in deploy/, not in ops/.
you put the test in the wrong folder
that's the old logo
we use conventional commits here
I said three retries, not five
please don't touch package-lock.json
stop guessing and read the logs
why are you installing with npm when there is a pnpm-lock?
the right flag is --frozen-lockfile
not the unit tests, the integration tests
use the --dry-run flag instead
rather use the makefile target instead of calling docker directly
never commit .env files
always bump the version before tagging
actually the db is called orders_v2
actually let's not use mocks
I meant delete the branch, not the tag
you didn't run the formatter
you should run make lint before you push
don't forget to update the docs
wrong account, switch to the work profile
I never asked you to change the tests
no semicolons please
undo this
change it back to what it was
it should be port 8080, not 8000
only change the css, leave the html alone
from now on write tests first
hey, that's not what the ticket says
bitte nicht auf main pushen
nein, der andere Ordner
non, pas comme ça
no, es el otro archivo
não é isso que eu pedi
不是npm，是pnpm
いや、そっちじゃなくて別のファイル
""".strip().splitlines()

THIRD_OTHERS = """
not bad at all, ship it
no further questions
no it works, thanks
yes please
please deploy to staging
deploy to production
can we use pnpm here?
what would you use instead of redis?
is it better to use tabs or spaces?
do not delete button is missing in the dialog
the "don't show again" checkbox does nothing
add an option to never ask again
users report that the wrong price is shown
fix the test that fails on windows but not on linux
the build is broken, find out why
write a migration that drops the old column
set the timeout to 30 seconds
only 3 tests are left
the page should be responsive
I don't have time for this today, summarise it for me
I wanted to thank you
I said thank you :)
we need a new endpoint for orders
we use kubernetes, can you write a manifest?
you can also look at the wiki
you did great
it is not clear to me how this works
stopwatch feature next
alles klar, weiter
merci beaucoup
perfecto
muito bom
好的
はい、お願いします
""".strip().splitlines()

FOURTH_CORRECTIONS = """
hm no, the other way: first build, then test
you renamed the wrong variable
please put tests next to the source, not in a separate folder
that is the wrong ticket number, it's PROJ-42
I explicitly said no new dependencies
don't put secrets in the compose file
could you not reformat files you don't touch?
always use absolute imports
this isn't what we agreed on
we don't do default exports
use the logger, not print
the commit message needs the ticket number, again
no! don't drop the table
rather call the api through the gateway
stop asking for permission for every ls
You should have asked me before deleting that
use fixtures instead of setUp please
not staging! prod
never edit migrations that are already applied
why is there a console.log again? remove it
it's pnpm here, not npm
I told you twice already that we target python 3.11
sorry, I meant the payments service
the changelog entry is missing again, please always add one
nicht so, mach es wie in der alten Version
""".strip().splitlines()

FOURTH_OTHERS = """
no comment from the reviewer yet, let's wait
the tests are green now
is the staging db on port 5433?
please rename the variable foo to bar
add a note to the readme that we use pnpm
deploy the branch release/2.x to staging
what happens if I don't pass a token?
we should think about caching at some point
let me know which files you changed
can you check whether the wrong price comes from the cache?
generate a migration that renames the column
open a pull request against develop
I like it, merge it
you have my permission to push
summarise the discussion in the ticket
bump the version to 2.0.0 and tag it
the customer says it is not possible to log in
make it faster
could you also handle empty lists?
not a big fan of the name but ok, go ahead
write the release notes for 1.4
why are the tests slow?
convert this class to a dataclass
good, now squash the commits and push
danke, passt so
""".strip().splitlines()
