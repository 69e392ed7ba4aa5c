"""What harmful texts look like, as data. Patterns are bounded, so that their time is linear in the text's length.

All are matched on the text as a model reads it (`scan_hidden.visible`), without regard to case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wellworn.models.skill import Risk


@dataclass(frozen=True, slots=True)
class Rule:
    """name: what a person names to allow it; message: for people; needs: one of these (lower-case) must be there."""

    name: str
    severity: Risk
    message: str
    needs: tuple[str, ...]
    pattern: re.Pattern[str]


_BOUNDS = (
    (r"\s*", r"\s{0,20}"),
    (r"\s+", r"\s{1,20}"),
    (r"\w+", r"\w{1,60}"),
    (r"\w*", r"\w{0,60}"),
    (r"\S+", r"\S{1,200}"),
    (r"\S*", r"\S{0,200}"),
    (r"s{1,20})*", r"s{1,20}){0,6}"),
)
"""What would run on without end is bounded, so that no text makes matching slow."""


def _rule(name: str, severity: Risk, message: str, needs: str, *patterns: str) -> Rule:
    """`needs`: words parted by `|`; where none of them stands, no pattern can match, and none is tried."""
    whole = "|".join(f"(?:{pattern})" for pattern in patterns)
    for endless, bounded in _BOUNDS:
        whole = whole.replace(endless, bounded)
    return Rule(name, severity, message, tuple(needs.split("|")), re.compile(whole, re.I))


_S = r"[^.!?\n]"
"""A character of the same sentence and line."""
_W = r"[ \t]*(?:\n[ \t>*#-]*)?"
"""Space between words, over the end of one line at most."""
_C = r"(?:\\\n|[^|\n;])"
"""A character of the same command, over a continued line."""
_SUDO = r"(?-i:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?(?-i:/(?:usr/)?bin/)?"
_SHELL = rf"{_SUDO}(?-i:(?:ba|z|da|k|fi|a)?sh)\b(?![.\w/])"
_FED = rf"(?:{_SHELL}|{_SUDO}(?-i:python[23]?|node|perl|ruby|php|deno run)\b(?=\s*(?:-(?:\s|$)|$|[;&|`\"')\n])))"
"""An interpreter that runs what is piped into it."""
_INTERPRETER = rf"{_SUDO}(?-i:(?:ba|z|da|k|fi|a)?sh|python[23]?|node|perl|ruby|php)\b(?![.\w/-])"
_BARE = r"(?-i:(?:ba|z|da|k|fi|a)?sh|python[23]?|node|perl|ruby|php)"
_GET = r"\b(?-i:curl|wget|fetch|aria2c)\b"
_HOME = r"(?:~|\$\{?HOME\}?|/root|/home/[\w<>{}$-]+|/Users/[\w<>{}$-]+)"
_AT = r"(?:(?<![\w./-])|(?<=~/)|(?<=HOME/)|(?<=HOME\}/)|(?<=/root/)|/home/[\w<>{}$-]+/|/Users/[\w<>{}$-]+/)"
_SECRET_FILE = (
    rf"(?:{_AT}\.ssh/(?!\S*\.pub)(?:id_\w+|\*)|{_AT}\.ssh/?(?=[\s\"'`)]|$)|(?<![\w./])id_(?:rsa|ed25519|ecdsa"
    rf"|dsa)\b(?!\.pub)"
    rf"|{_AT}\.(?:aws/credentials|netrc|pgpass|git-credentials|gnupg|kube/config|docker/config\.json|config/gcloud"
    rf"|config/gh\b"
    rf"|npmrc|pypirc"
    r"|password-store)\b|/etc/shadow|Login Data\b|logins\.json|key4\.db|cookies\.sqlite|Library/Keychains|wallet\.dat)"
)
_SEND = r"(?:send|upload|post|transmit|forward|e-?mail|exfiltrate|leak|beacon)"
_SECRETS = (
    r"(?:environment variables|env vars?|api[ _-]?keys?|credentials?|secrets?|access tokens?|auth tokens?"
    r"|private keys?|passwords?"
    r"|ssh keys?|cookies|conversation|chat (?:history|log)|system prompt|session tokens?)"
)
_PEOPLE = r"(?:the |your |our )?(?:users?|humans?|developers?|operators?|person)\b"
_OLD = (
    r"(?:previous|prior|above|earlier|preceding|existing|foregoing|other|system|developer|safety|security|original"
    r"|initial|former)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?|polic(?:y|ies)|commands?|guardrails?"
    r"|messages?|restrictions?|orders|context)"
)

RULES: tuple[Rule, ...] = (
    _rule(
        "download-and-run",
        Risk.high,
        "something is downloaded and run at once",
        "curl|wget|fetch|aria2c|iwr|irm|invoke-|iex|npx|bunx|dlx|uvx|urlopen|urlretrieve|.get(|executable|chmod",
        r"\b(?:fetch|download|get|curl|wget)\s+(?:the\s+\w+\s+(?:from|at)\s+)?https?://\S+[^.!?\n]{0,40}"
        r"\b(?:make it executable|chmod\s+\+x)[^!?\n]{0,40}\b(?:run|start|execute|launch)\b",
        rf"{_GET}{_C}{{1,300}}\|(?:\s*\\\n)?\s*(?:(?:tee|cat|gunzip|tac|sed|tr|jq)\b[^|\n]{{0,60}}\|\s*)?{_FED}",
        rf"\b{_BARE}\s[^\n|;]{{0,40}}<\(\s*{_GET}",
        rf"\b(?:{_BARE}\s+-\w*c|eval|source)\s*[\"']?\$?\(\s*{_GET}",
        rf"\b(?:{_BARE}\s+-\w*c|eval)\s*[\"']?`\s*{_GET}",
        r"\b(?:iwr|irm|curl|Invoke-WebRequest|Invoke-RestMethod)\b[^|\n]{0,200}\|\s*(?:iex|Invoke-Expression)\b",
        r"\b(?:iex|Invoke-Expression)\b[^\n]{0,60}\b(?:DownloadString|iwr|irm|Invoke-WebRequest|Invoke-RestMethod"
        r"|WebClient)\b",
        rf"{_GET}[^\n]{{0,300}}(?:&&|;|\n)[^\n]{{0,20}}\bchmod\s+(?:\+x|[0-7]*7[0-7]*"
        rf"|[ugoa]*\+x)\s[^\n]{{0,120}}(?:&&|;|\n)\s*"
        rf"(?:sudo\s+)?(?:\.{{0,2}}/|{_SHELL}\s|~|\$)",
        rf"{_GET}[^\n]{{0,200}}(?:-o|-O|>)\s*(?P<file>[\w./~$-]{1, 120})[^\n]{{0,120}}(?:&&|;"
        rf"|\n)\s*(?:{_INTERPRETER})\s+(?P=file)",
        r"\b(?:exec|eval)\s*\(\s*(?:await\s+)?(?:\w+\.){0,3}(?:urlopen|get|fetch|urlretrieve)\s*\(\s*[fr]?[\"']https?:",
        r"\b(?:npx|bunx|pnpm\s+dlx|uvx)\s+(?:-\S+\s+)*https?://",
    ),
    _rule(
        "remote-package",
        Risk.medium,
        "a package is installed from an address instead of a registry",
        "pip install|pip3 install|npm i",
        r"\bpip3?\s+install\s[^\n]{0,100}(?:git\+https?|https?)://",
        r"\bnpm\s+(?:i|install)\s[^\n]{0,60}https?://",
    ),
    _rule(
        "encoded-command",
        Risk.high,
        "something encoded is decoded and run",
        "base64|base32|xxd|openssl|uudecode|rev|tr ",
        rf"\b(?:base64|base32)\s+(?:-\w+\s+)*(?:-d|-D|--decode)\b[^|\n]{{0,80}}\|\s*(?:\w+[^|\n]{{0,40}}\|\s*)?{_FED}",
        rf"\b(?:xxd\s+(?:-\w+\s+)*-r|openssl\s+(?:enc|base64)\b[^|\n]{{0,60}}-d|uudecode|rev\b"
        rf"|tr\s+[\"']?[A-Za-z]-)[^|\n]{{0,80}}"
        rf"\|\s*(?:\w+[^|\n]{{0,40}}\|\s*)?{_FED}",
        rf"\b(?:gunzip|zcat|gzip\s+-d)\b[^|\n]{{0,60}}\|\s*{_SHELL}",
        rf"\b(?:eval|{_BARE}\s+-\w*c)\s*[\"']?(?:\$\(|`)[^\n)`]{{0,300}}(?:base64\s+(?:-\w+\s+)*(?:-d|-D|--decode)"
        rf"|xxd\s+-r|openssl\s+\w+[^\n)]{{0,30}}-d)",
        rf"\b{_BARE}\s+<\(\s*[^\n)]{{0,200}}(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r)",
    ),
    _rule(
        "encoded-command",
        Risk.high,
        "something encoded is decoded and run",
        "b64decode|base64.decode|fromhex|codecs.decode|atob|unhexlify|marshal.loads|decompress|buffer.from"
        "|-encodedcommand|-enc |powershell|pwsh|\\x|\\0|\\1|gunzip|zcat|gzip",
        r"\b(?:exec|eval|os\.system|subprocess\.\w+)\s*\(\s*[^\n]{0,60}(?:b64decode|base64\.decode|fromhex"
        r"|codecs\.decode|atob|unhexlify|marshal\.loads|zlib\.decompress)\s*\(",
        r"\b(?:exec|execSync|spawn|spawnSync|system|popen)\s*\(\s*(?:Buffer\.from|atob)\s*\(",
        r"\beval\s*\(\s*(?:atob|Buffer\.from)\s*\(|new Function\s*\(\s*atob",
        r"-(?:e|en|enc|EncodedCommand)\s+[A-Za-z0-9+/]{20,}={0,2}",
        rf"\b(?:printf|echo\s+-\w*e)\s+[\"']?(?:\\x[0-9a-f]{{2}}|\\[0-7]{{3}}){{6,}}[^|\n]{{0,2000}}\|\s*{_SHELL}",
    ),
    _rule(
        "reverse-shell",
        Risk.high,
        "a shell is opened to another machine",
        "/dev/tcp|/dev/udp|nc |ncat|netcat|mkfifo|socat|socket.socket",
        r"\b(?:ba|z)?sh\s+-i\s*[>&0-9]+\s*/dev/tcp/",
        r"/dev/(?:tcp|udp)/[\w.$-]+/\d",
        r"\bn(?:et)?c(?:at)?\b[^\n|]{0,60}\s-(?:\w*e|c)\s*/?(?:bin/)?(?:ba|z)?sh\b",
        r"\bmkfifo\b[^\n]{0,80}\bn(?:et)?c(?:at)?\b",
        r"\bsocat\b[^\n]{0,80}\bexec:",
        r"socket\.socket\([^\n]{0,300}(?:pty\.spawn|dup2|/bin/(?:ba)?sh)",
    ),
    _rule(
        "credential-exfiltration",
        Risk.high,
        "credentials or the environment are sent elsewhere",
        "curl|wget|nc |ncat|socat|scp|rsync|rclone|http|webhook|send|upload|post|transmit|mail|exfiltrate|leak"
        "|environ|process.env|security |.ssh|id_rsa|id_ed25519|.aws|.netrc|.pgpass|git-credentials",
        rf"{_SECRET_FILE}[^\n]{{0,200}}\|\s*[^\n]{{0,80}}\b(?:curl|wget|nc|ncat|netcat|socat|ssh|http|mail|xh)\b",
        rf"\b(?-i:curl|wget|nc|ncat|http|scp|rsync|xh|rclone)\s[^\n|]{{0,250}}{_SECRET_FILE}",
        r"\b(?:curl|wget)\b[^\n]{0,200}(?:-d|--data\S*|-F|--form|-T|--upload-file|--post-file|--post-data"
        r"|--body-file)[\s=]*[\"']?[^\s\"']{0,40}[@=<$(\s]{1,4}[^\s\"']{0,60}\.env\b",
        r"\.env\b(?:\.\w+)?[^\n.]{0,60}\|\s*[^\n]{0,80}\b(?:curl|wget|nc|ncat)\b",
        r"(?:^|[\s`;|&(])(?:env|printenv|set|export\s+-p)\s*\|\s*[^\n]{0,100}\b(?:curl|wget|nc|ncat|socat)\b",
        r"\b(?:curl|wget)\b[^\n]{0,250}(?:\$\(|`)\s*(?:env|printenv|set|cat\s+[^\n)`]{0,60}(?:\.env|credential|secret"
        r"|token|id_rsa|\.ssh)|gh\s+auth\s+token|aws\s+configure\s+get|security\s+find)",
        r"\b(?:requests|httpx|axios|fetch|urllib\.request|http\.client)\b[^\n]{0,200}(?:os\.environ\b(?!\s*(?:\["
        r"|\.get))|process\.env\b(?!\s*(?:\.|\[)))",
        r"\b(?:json|data|body|params)\s*=\s*(?:dict\(\s*)?(?:\{\*\*)?os\.environ\b(?!\s*(?:\[|\.get))",
        rf"\b(?:all|any|every)\s+(?:\w+\s+){{0,2}}{_SECRETS}[^`]{{0,400}}?\b(?:send|post|upload|submit)\s+(?:it|them"
        rf"|(?:the|this)\s+\w+)"
        rf"[^.\n]{{0,30}}\bto\s+https?://",
        r"JSON\.stringify\(\s*process\.env\s*\)",
        r"\bsecurity\s+(?:find-(?:generic|internet)-password\b[^\n]{0,60}-w\w*|dump-keychain"
        r"|export)\b[^\n]{0,120}\|\s*[^\n]{0,60}\b(?:curl|wget|nc|base64)\b",
        rf"\b{_SEND}\b[^\n]{{0,80}}{_SECRET_FILE}[^\n]{{0,80}}(?:https?://|\w@\w)",
        r"\bfind\s[^\n]{0,200}-exec(?:dir)?\s+(?:curl|wget|nc|scp)\b",
        rf"\b{_SEND}\b(?:(?!\bonly\b){_S}){{0,60}}\b{_SECRETS}(?:(?!\bonly\b){_S}){{0,60}}\b(?:to"
        rf"|via)\b{_S}{{0,40}}(?:https?://|webhook|\b\w+[- ](?:server|endpoint)\b|@\w+\.\w+)",
        rf"\b(?:read|open|load|collect|gather|grab|harvest|steal|extract|dump|find|cat"
        rf"|take)\b[^!?\n]{{0,100}}(?:{_SECRET_FILE}|(?<!\w)\.env\b"
        rf"|\b{_SECRETS})[^!?\n]{{0,80}}\b{_SEND}\b(?:(?!\bonly\b)[^!?\n]){{0,60}}https?://",
        rf"\b(?:read|open|load|copy|take|grab|fetch|cat|get)\b[^.!?\n]{{0,60}}{_SECRET_FILE}[^.!?\n]{{0,40}}"
        r"\band\s+(?:then\s+)?(?:send|post|paste|upload|share|publish|mail|attach|print|show|quote|include)\s+(?:it|them|its|their|that)\b",
    ),
    _rule(
        "credential-read",
        Risk.high,
        "a file of credentials is read",
        ".ssh|.gnupg|.aws|.netrc|git-credentials|pgpass|/etc/shadow|login data|cookies.sqlite|logins.json|key4.db"
        "|dump-keychain|find-",
        r"\b(?:cat|less|head|tail|base64|xxd|strings|more|bat)\s+(?:-\S+\s+)*[\"']?(?:~|\$\{?HOME\}?"
        r"|/home/[\w<>{}$-]+|/root|/Users/[\w<>{}$-]+)/(?:\.ssh/id_\w+(?![\w.]*\.pub)\b|\.aws/credentials|\.netrc"
        r"|\.git-credentials|\.pgpass|\.gnupg/\S+)",
        r"\bcat\s+/etc/shadow\b",
        r"\b(?:tar|zip|cp|rsync)\b[^\n|;]{0,100}(?:~|\$\{?HOME\}?)/\.(?:ssh|gnupg|aws)(?:/(?!config\b|known_hosts)"
        r"|[\s\"'`]|$)",
        rf"\b(?:tar|zip|cp|mv|rsync)\b[^\n|;]{{0,100}}{_HOME}/\.(?:netrc|pgpass|git-credentials|config/gh)\b",
        r"open\(\s*(?:os\.path\.expanduser\()?[\"'][^\"'\n]{0,60}(?:\.ssh/id_|\.aws/credentials|\.netrc|Login Data"
        r"|\.git-credentials)[^\"'\n]{0,20}[\"']\)?\s*(?:\)|,\s*[\"']r)",
        r"\bsecurity\s+dump-keychain\b|\bsecurity\s+find-(?:generic|internet)-password\b[^\n]{0,80}\b(?:Chrome|Safari"
        r"|login)\b",
        r"\b(?:cp|copy|sqlite3|open|read|cat|collect|steal|extract|dump|grab|decrypt)\b[^.\n]{0,100}(?:\bLogin Data\b"
        r"|cookies\.sqlite|logins\.json|key4\.db)",
    ),
    _rule(
        "environment-file-read",
        Risk.low,
        "a .env file is read",
        ".env",
        r"\b(?:cat|head|tail|grep|less|bat)\s+[^\n|;&]{0,60}\.env(?:\.(?!example|sample|template)\w+)?(?=[\s\"'`|;]|$)",
    ),
    _rule(
        "suspicious-destination",
        Risk.high,
        "data is sent to a collecting service",
        "webhook|requestbin|pipedream|burpcollab|oast.|interact.sh|transfer.sh|pastebin|ngrok|dnslog",
        r"\b(?:curl|wget|requests\.post|fetch|axios)\b[^\n]{0,250}(?:webhook\.site|requestbin|pipedream\.net"
        r"|burpcollaborator|oast\.(?:fun|me|live|pro)|interact\.sh|transfer\.sh|pastebin\.com/api"
        r"|discord(?:app)?\.com/api/webhooks|\.ngrok(?:-free)?\.(?:io|app)|dnslog\.cn)",
    ),
    _rule(
        "ignore-instructions",
        Risk.high,
        "it says to ignore other instructions",
        "instruction|prompt|rule|guideline|directive|constraint|polic|command|guardrail|message|restriction|order"
        "|context|training|programming|everything|anything|whatever|ignor|disregard|forget|you are now|unrestricted"
        "|jailbroken|uncensored|unfiltered|limits|filter|忽|无视|忘记|ignorier|игнорируй",
        rf"\b(?:ignore|disregard|forget|override|bypass|overrule|neglect|set aside|stop (?:following|obeying)"
        rf"|no longer (?:follow|obey|respect)"
        rf"|do not (?:follow|obey)|don't (?:follow|obey)|throw (?:out|away)|discard|pay no attention to|supersedes?"
        rf"|takes? precedence over|cancels?){_W}\s+{_S}{{0,40}}?(?:\b(?:all|any|every|each|your|the|these|those|of|my"
        rf"|other)\s+){{0,4}}\b{_OLD}\b{_W}\s*{_S}{{0,30}}?\b{_ORDERS}\b(?!\s+(?:as|well|correctly|strictly"
        rf"|reliably)\b)",
        rf"\b(?:ignore|disregard|forget)\s+(?:all\s+|any\s+)?(?:of\s+)?(?:your|the)\s+(?:{_ORDERS}|training"
        rf"|programming)\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|whatever)\b[^.!?\n]{0,30}\b(?:above|before|told"
        r"|said|previous|prior|earlier|learned|instructed)\b",
        r"\byou are now\s+(?:in\s+)?(?:an?\s+)?(?:DAN\b|unrestricted|jailbroken|uncensored|free (?:of|from)"
        r"|developer mode|god mode|root mode|unfiltered)",
        r"\b(?:act|behave|respond|operate)\s+as\s+(?:if\s+you\s+(?:were|are)\s+)?an?\s+(?:unrestricted|jailbroken"
        r"|uncensored|unfiltered)\b",
        r"\b(?:new|updated|revised|real|true)\s+(?:system\s+(?:prompt|instructions?|message)"
        r"|instructions?\s+from\s+(?:the\s+)?(?:system|developer|admin|anthropic|openai))\s*:",
        r"\b(?:your|the)\s+(?:safety|content|ethical)\s+(?:guidelines?|rules|polic(?:y|ies)|filters?"
        r"|restrictions?)\s+(?:do(?:es)?\s+not|don't|no\s+longer)\s+apply",
        r"\b(?:pretend|imagine|assume|act as if)\b[^.!?\n]{0,20}\b(?:you have|there are"
        r"|you are under)\s+no\s+(?:\w+\s+)?(?:restrictions?|rules|limits|guidelines|filters?)",
        r"(?:忽略|无视|忘记|忽視)[^。\n]{0,12}(?:之前|以上|先前|所有|系统|前面)[^。\n]{0,8}(?:指令|提示|规则|指示|說明)",
        r"\bignorier(?:e|en)\b[^.\n]{0,30}\b(?:vorherig|bisherig|obig|alle)\w*\b[^.\n]{0,20}\b(?:Anweisung"
        r"|Instruktion|Regel)",
        r"\bignor(?:a|e|ar|ez)\b[^.\n]{0,30}\b(?:(?:anterior|previas?|précédentes|todas|toutes)\w*\b[^.\n]{0,25}"
        r"\b(?:instruc|r[eè]gl)|(?:instruc|r[eè]gl)\w*\s+(?:anterior|previa|précédent))",
        r"игнорируй[^.\n]{0,20}(?:предыдущ|все|прежн)[^.\n]{0,20}(?:инструкц|указан|правил)",
    ),
    _rule(
        "hide-from-user",
        Risk.high,
        "it says to hide something from the user",
        "tell|inform|notif|alert|warn|let|mention|reveal|disclos|report|acknowledg|admit|announc|hide|conceal|keep"
        "|kept|remain|stay|without|silently|secret|on the sly|behind|say nothing|covertly|quietly|stealthily"
        "|surreptitiously|discreetly|invisibly"
        "|know|aware|told|notice|see this|find out",
        rf"\b(?:do not|don't|never|must not|should not|shouldn't|without)\s+(?:ever\s+|explicitly\s+)?(?:tell(?:ing)?"
        rf"|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?)\s+{_PEOPLE}(?!\s*(?:to\b|how\b|they\b|what to\b"
        rf"|you\b|if\b|when\b|which\b|where\b|just\b|wait\b|unless\b|until\b|\w+ing\b))",
        rf"\b(?:do not|don't|never|without)\s+(?:let(?:ting)?)\s+{_PEOPLE}\s+(?:know|see|notice|find out|realize"
        rf"|learn|discover)\b",
        r"\b(?:do not|don't|never|must not|without)\s+(?:ever\s+)?(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)"
        r"|report(?:ing)?|acknowledg(?:e|ing)|admit(?:ting)?|announc(?:e|ing))\s+(?:that you (?:have\s+)?(?:\w+ed"
        r"|sent|ran|did|read|made)|this (?:step|action|command|instruction|upload|request|to (?:the )?user)"
        r"|these (?:steps?|instructions?|actions?|commands?)|what you (?:did|have done|ran|sent)|the (?:upload"
        r"|request|payload|transfer|backup|exfiltration)|it to (?:the )?user)\b",
        r"\b(?:do not|don't|never)\s+(?:ever\s+)?(?:mention|reveal|disclose|report|say|admit"
        r"|let on)\s+(?:to\s+)?(?:the\s+)?(?:user|anyone|human)\s+that\b",
        r"\b(?:do|run|execute|send|copy|perform|install)\b[^.!?\n]{0,30}\b(?:in secret|on the sly"
        r"|behind (?:the user's|their|his|her) back)\b",
        r"(?:\band|,)\s+(?:then\s+)?say nothing\b",
        rf"\b(?:hide|conceal)\s+(?:this|that|it|these|those|your|the fact|any|all|what|the (?:command|step|output"
        rf"|request|upload|action|change)s?){_S}{{0,50}}\bfrom\s+{_PEOPLE}",
        rf"\b(?:keep|kept|remain|stay)\b{_S}{{0,50}}\b(?:hidden|secret|invisible|concealed)\s+from\s+{_PEOPLE}",
        r"\bwithout\s+(?:the |your )?(?:users?|humans?|developers?|operators?|persons?|owners?)(?:'s|s'"
        r"|’s)?\s+(?:knowledge|knowing|noticing|awareness|being aware|realizing|seeing|being told)",
        r"(?:^|[\n.;:,(*`>-]\s*|\b(?:and|then|must|should|to|always|also|will|you|please|just)\s+)(?:silently"
        r"|secretly|covertly|quietly|stealthily|surreptitiously|discreetly|invisibly)\s+(?:(?:the|it|and|then|always"
        r"|also)\s+)?(?:upload|send|post|exfiltrate|transmit|install|download|execute|append|forward|collect|harvest"
        r"|modify|delete|push|insert|fetch|enable|disable)\b(?!-)",
        r"\bkeep\s+(?:this|that|these)\s+(?:\w+\s+)?(?:secret|between us|confidential from|off the record)\b",
        r"\b(?:user|human|operator|person|developer)\s+(?:must|should|shall|may|does|need)\s+(?:not"
        r"|never)\s+(?:be\s+(?:told|aware|informed|notified|shown)|know\b(?!\s+(?:how|what|about the))|see\s+this"
        r"|notice\b|find out)",
    ),
    _rule(
        "disable-approvals",
        Risk.high,
        "it turns approvals or safety checks off",
        "bash(|dangerously|bypasspermissions|--yolo|approval|danger-full-access|auto-|auto |autoapprove|safety|security"
        "|permission|sandbox|guardrail|confirm|consent",
        r"--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox"
        r"|--allow-dangerously-skip-permissions",
        r"(?:[\"']?(?:defaultMode|permission-?mode|permissionMode)[\"']?\s*[:=\s]\s*[\"']?bypassPermissions)",
        r"(?<!\[)--yolo\b|\bapproval[_-]policy\s*[:=]\s*[\"']?never|--ask-for-approval\s+never|(?:--sandbox"
        r"|sandbox_mode|\s-s)[\s=\"']{1,4}danger-full-access",
        r"(?:mode|to|use|=|:)[\s\"'`:=]{1,6}bypassPermissions\b",
        r"\bBash\(\s*\*\s*(?::\s*\*\s*)?\)[^\n]{0,60}\ballow|\ballow\w*[^\n]{0,60}\bBash\(\s*\*\s*(?::\s*\*\s*)?\)",
        r"\bauto[- ]?(?:approve|accept|confirm|allow)s?\s+(?:everything|anything|all\s+(?:actions|commands|tools?"
        r"|requests|permissions|prompts|edits|tool calls)|every\s+\w+)",
        rf"\b(?:disable|turn off|switch off|bypass|circumvent|evade|suppress|skip|remove)\s+{_S}{{0,30}}\b(?:safety"
        rf"|security|permissions?|approvals?|sandbox|guardrails?)\s*(?:checks?|prompts?|requests?|filters?|dialogs?"
        rf"|systems?|measures?|protections?|gates?|settings|restrictions?|mode)\b",
        r"\bnever\s+(?:ask|prompt|wait)s?\s+(?:\w+\s+){0,3}for\s+(?:\w+\s+){0,2}(?:permission|approval|confirmation"
        r"|consent)\b",
    ),
    _rule(
        "unasked-action",
        Risk.medium,
        "it says to act without asking",
        "without",
        r"\bwithout\s+(?:asking|prompting|waiting|seeking|requesting"
        r"|requiring)\s+(?:\w+\s+){0,3}(?:for\s+)?(?:\w+\s+){0,2}(?:permission|approval|confirmation|consent)\b",
        r"\bwithout\s+(?:the |your )?(?:users?|humans?|owners?)(?:'s|s'|’s)?\s+(?:consent|permission|approval)\b",
    ),
    _rule(
        "agent-settings",
        Risk.high,
        "it writes to the settings, hooks or standing instructions of an agent",
        "/.claude|/.codex|/.cursor|/.gemini|/.config/goose|/.config/opencode",
        rf">>?\s*[\"']?{_HOME}/\.(?:claude/(?:settings|CLAUDE|hooks)|claude\.json|codex/|cursor/|gemini/"
        rf"|config/(?:goose|opencode))\S*",
        rf"\b(?:tee|cp|mv|ln|install)\b[^\n|;]{{0,120}}\s[\"']?{_HOME}/\.(?:claude/(?:settings[\w.]*|CLAUDE\.md"
        rf"|hooks/?\S*)|claude\.json|codex/(?:config|AGENTS)\S*|cursor/(?:mcp|rules)\S*)[\"']?\s*(?:$|[;&|`\n])",
        rf"\b(?:add|write|append|insert|inject|overwrite|put|save|copy)\b{_S}{{0,80}}\b(?:to|in"
        rf"|into)\s+[`\"']?{_HOME}/\.(?:claude/CLAUDE\.md|codex/AGENTS\.md|gemini/GEMINI\.md)",
    ),
    _rule(
        "agent-settings",
        Risk.medium,
        "it says to change the settings of an agent",
        "/.claude|/.codex|/.cursor",
        rf"\b(?:add|write|append|insert|modify|overwrite|edit|change|replace|put"
        rf"|set)\b{_S}{{0,80}}{_HOME}/\.(?:claude/(?:settings(?:\.local)?\.json|hooks)|claude\.json"
        rf"|codex/config\.toml|cursor/(?:mcp\.json|rules))",
    ),
    _rule(
        "startup-file",
        Risk.low,
        "it writes to what a shell runs at its start",
        "bashrc|zshrc|profile|zshenv|zprofile",
        rf">>?\s*[\"']?{_HOME}/\.(?:bashrc|zshrc|profile|bash_profile|zshenv|zprofile)\b",
    ),
    _rule(
        "startup-file",
        Risk.high,
        "it makes a shell fetch something at its start",
        "bashrc|zshrc|profile|zshenv|zprofile",
        rf"\b(?:curl|wget|nc|base64)\b[^\n]{{0,200}}>>?\s*[\"']?{_HOME}/\.(?:bashrc|zshrc|profile|bash_profile|zshenv"
        rf"|zprofile)\b",
    ),
    _rule(
        "destructive-command",
        Risk.high,
        "it destroys a disk or everything in a home folder",
        "rm |rm\t|dd |mkfs|:()|/dev/sd|/dev/nvme|/dev/hd|chmod|find /",
        r"\brm\s+(?:-\S+\s+)*-\w*[rR]\w*\s+(?:-\S+\s+)*[\"']?(?:/(?:\*|(?=[\s\"'`;|&)]|$))|~/?\*?(?=[\s\"'`;|&)]|$)"
        r"|\$\{?HOME\}?/?\*?(?=[\s\"'`;|&)]|$)|--no-preserve-root)",
        r"\brm\s[^\n]{0,60}--no-preserve-root",
        r"\bdd\s[^\n]{0,80}\bof=/dev/(?:sd|hd|nvme|vd|disk|mmcblk)",
        r"\bmkfs(?:\.\w+)?\s+(?:-\S+\s+)*/dev/",
        r":\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:",
        r">\s*/dev/(?:sd[a-z]|nvme\d|hd[a-z])\b",
        r"\bchmod\s+(?:-\S+\s+)*-?R?\s*0?777\s+/(?=[\s\"'`;|&)]|$)",
        r"\bfind\s+/\s[^\n]{0,60}-delete\b",
    ),
    _rule(
        "hidden-markup",
        Risk.medium,
        "text is hidden by markup",
        "style",
        r"<[^>\n]{0,100}style\s*=\s*[\"'][^\"'>\n]{0,100}(?:display\s*:\s*none|visibility\s*:\s*hidden"
        r"|font-size\s*:\s*0|opacity\s*:\s*0\b|color\s*:\s*(?:white|#fff\w*|transparent))",
    ),
)

KNOWN_INSTALLERS = re.compile(
    r"(?:https://)?(?:fluxcd\.io|install\.crowdsec\.net|sdk\.cloud\.google\.com|community\.chocolatey\.org"
    r"|get\.scoop\.sh|astral\.sh|bun\.(?:sh|com)|sh\.rustup\.rs|deno\.land|get\.docker\.com|get\.pnpm\.io"
    r"|install\.python-poetry\.org|fly\.io"
    r"|ollama\.(?:com|ai)|foundry\.paradigm\.xyz|mise\.(?:run|jdx\.dev)|starship\.rs|get\.sdkman\.io|get\.k3s\.io"
    r"|tailscale\.com"
    r"|claude\.ai|opencode\.ai|cursor\.com|bootstrap\.pypa\.io|nixos\.org|install\.determinate\.systems|get\.volta\.sh"
    r"|get\.helm\.sh|deb\.nodesource\.com|rpm\.nodesource\.com|cli\.github\.com|packages\.microsoft\.com|aka\.ms"
    r"|get\.rvm\.io"
    r"|raw\.githubusercontent\.com/(?:Homebrew/install|nvm-sh/nvm|helm/helm|golangci/golangci-lint"
    r"|pyenv/pyenv-installer"
    r"|ohmyzsh/ohmyzsh|aquasecurity/trivy|anchore/(?:syft|grype)|kubernetes-sigs/kustomize|foundry-rs/foundry"
    r"|rust-lang)"
    r"|(?:www\.)?install\.[\w-]+\.(?:sh|dev)|release\.solana\.com|release\.anza\.xyz|sh\.vercel\.com"
    r"|cli\.coderabbit\.ai|just\.systems"
    r"|pyenv\.run|risczero\.com|l\.aptos\.dev|setup\.atuin\.sh|pixi\.sh|prefix\.dev|zed\.dev|proto\.moonrepo\.dev"
    r"|get\.wasp\.sh"
    r"|railway\.(?:app|com)|cli\.doppler\.com|get\.modular\.com|app\.factory\.ai|dl\.k8s\.io|getcomposer\.org"
    r"|cli\.run\.nu)(?=[/\s\"'|)`]|$)",
    re.I,
)
"""Installers of widely used tools over https: still worth knowing (medium), not worth stopping for."""

FORBIDS = re.compile(
    r"\b(?:never|do(?:es)? not|did not|didn't|doesn't|don't|dont|is not|isn't|avoid|must not|should not|shouldn't"
    r"|cannot|can't|won't|refuse(?:s|d)?|reject(?:s|ed)?|block(?:s|ed|ing)?"
    r"|prevent(?:s|ed|ing)?|prohibit(?:s|ed)?|forbid(?:s|den)?|disallow(?:s|ed)?|den(?:y|ies|ied)|stop and|detect(?:s"
    r"|ed|ing|ion)?"
    r"|flag(?:s|ged)? (?:any|all|as|if)|dangerous|malicious|unsafe|insecure|risky|harmful|anti-?patterns?|attack(?:er"
    r"|ers|s)?|injection"
    r"|vulnerab\w+|suspicious|red flags?|bad|wrong|instead of|rather than|no\s+`|not\s+`|treat (?:it|them|this|any"
    r"|such|as)"
    r"|(?:instructions?|attempts?|tries|trying|requests?|asks?(?: \w+){0,2}|tells?(?: \w+){0,2}|someone"
    r"|users? may) to|jailbreaks?|payloads?)\b"
    r"(?!\s+(?:hesitate|worry|forget|fail|mind|be afraid))|❌|🚫|⛔|✗|✘|⚠",
    re.I,
)
"""In the same sentence, before or right behind what was found."""
