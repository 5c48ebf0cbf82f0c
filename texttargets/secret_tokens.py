"""Tokens and keys that their service gives a shape of its own. Knows patterns only; redaction is in secrets.py."""

from __future__ import annotations

import re
from collections.abc import Callable

from texttargets.secret_signs import Shape, is_key

_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"  # also behind a line break that is written out
_END = r"(?![A-Za-z0-9])"


def _token(kind: str, marks: str, pattern: str, accept: Callable[[str], bool] = lambda value: True) -> Shape:
    return Shape(kind, tuple(marks.split()), re.compile(_START + pattern), accept)


def _address(kind: str, mark: str, pattern: str) -> Shape:
    """An address that whoever knows it may post to."""
    return Shape(kind, (mark,), re.compile(pattern))


LONG_RUN = re.compile(r"[A-Za-z0-9_.~+/=%:-]{14}")  # shorter is no token

BLOCKS = (
    Shape(
        "private key",
        ("-----begin",),
        re.compile(r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{1,60}-----|\Z)"),
    ),
    Shape(
        "private key",
        ("private-lines:",),
        re.compile(r"Private-Lines: \d{1,4}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|\Z)){1,400})"),
    ),
)
TOKENS = (
    _token("private key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}"),
    _token("JWT", "eyj", r"eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}){2}(?:\.[A-Za-z0-9_-]{8,}){0,2}"),
    _token(
        "AWS key",
        "akia asia abia acca agpa aida aroa",
        rf"(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA)[A-Z0-9]{{16}}{_END}",
    ),
    _token("AWS key", "absk", r"ABSK[A-Za-z0-9+/]{40,200}={0,2}"),
    _token("Azure secret", "q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    _token("Alibaba key", "ltai", rf"LTAI[A-Za-z0-9]{{12,24}}{_END}"),
    _token(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})",
    ),
    _token(
        "GitLab token",
        "glpat- glptt- glrt- gldt- glcbt- glsoat- glimt- glft- glagent- gloas-",
        r"gl(?:pat|ptt|rt|dt|cbt|soat|imt|ft|agent|oas)-[A-Za-z0-9_.-]{20,255}",
    ),
    _token("Slack token", "xox xapp-", r"(?:xox[abcdeoprs]|xapp)[-.][A-Za-z0-9%.-]{10,255}"),
    _address("Slack webhook", "hooks.slack.com", r"https://hooks\.slack\.com/(?:\w{1,20})/(?P<value>[\w/-]{20,255})"),
    _address(
        "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{1,25}/(?P<value>[\w-]{20,255})"
    ),
    _address("Teams webhook", "webhook", r"\.webhook\.office\.com/webhookb2/(?P<value>[\w@/-]{40,512})"),
    _token("Discord token", ".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"),
    _token(
        "Google key",
        "aiza ya29. gocspx- 1//0",
        r"(?:AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,512}|GOCSPX-[A-Za-z0-9_-]{20,64}|1//0[A-Za-z0-9_-]{30,120})",
    ),
    _token("Stripe key", "_live_ _test_ whsec_", r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,255}"),
    _token("Square token", "sq0 eaaa", rf"(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{{22,60}}|EAAA[A-Za-z0-9_-]{{60}}{_END})"),
    _token("Facebook token", "eaa", r"EAA[A-Za-z0-9]{80,255}"),
    _token("Hugging Face token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,64}"),
    _token(
        "registry token",
        "npm_ pypi- dckr_ rubygems_ oy2 cio",
        r"(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,512}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}|rubygems_[a-f0-9]{48}"
        rf"|oy2[a-z0-9]{{43}}{_END}|cio[A-Za-z0-9]{{32}}{_END})",
    ),
    _token("SendGrid key", "sg.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _token("Twilio key", "sk", rf"SK[a-f0-9]{{32}}{_END}"),
    _token(
        "mail service key",
        "key- xkeysib- -us",
        rf"(?:key-[a-f0-9]{{32}}|xkeysib-[A-Za-z0-9-]{{60,100}}|[a-f0-9]{{32}}-us\d{{1,2}}){_END}",
    ),
    _token("Telegram token", ":aa", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _token("Shopify token", "shp", rf"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{{32}}{_END}"),
    _token(
        "cloud token",
        "_v1_ hrku- v1.0- pscale_ sbp_ sb_secret_ nfp_ fo1_ fm2_ tskey-",
        r"(?:do[opr]_v1_[a-f0-9]{64}|HRKU-[A-Za-z0-9_-]{36,100}|v1\.0-[a-f0-9]{24}-[a-f0-9]{100,180}"
        r"|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,64}|sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,64}"
        r"|nfp_[A-Za-z0-9]{36,64}|fo1_[\w-]{40,50}|fm2_[A-Za-z0-9+/=]{80,1024}|tskey-[a-z]{2,10}-[A-Za-z0-9-]{16,100})",
    ),
    _token(
        "service token",
        "dapi glsa_ glc_ nrak- sntry lin_ ntn_ secret_ figd_ atatt3 atctt3 atlasv1 pat dp. hvs. hvb. pcsk_ lsv2_ pmak-"
        " sl. tfp_ k.eyj dt0 pul- ops_",
        rf"(?:dapi[a-f0-9]{{32}}(?:-\d)?|glsa_[A-Za-z0-9]{{32}}_[a-fA-F0-9]{{8}}|glc_[A-Za-z0-9+/=]{{32,400}}"
        rf"|NRAK-[A-Z0-9]{{27}}|sntry[su]_[A-Za-z0-9+/=_-]{{40,400}}|lin_(?:api|oauth)_[A-Za-z0-9]{{32,64}}"
        rf"|ntn_[A-Za-z0-9]{{40,60}}|secret_[A-Za-z0-9]{{43}}{_END}|figd_[A-Za-z0-9_-]{{38,60}}"
        rf"|AT(?:ATT|CTT)3[A-Za-z0-9_=-]{{60,400}}|[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}"
        rf"|pat[A-Za-z0-9]{{14}}\.[a-f0-9]{{64}}|pat-[a-z]{{2}}\d-[a-f0-9-]{{36}}"
        rf"|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{{40,80}}|hv[sbr]\.[A-Za-z0-9_-]{{24,300}}"
        rf"|pcsk_[A-Za-z0-9_]{{40,100}}|lsv2_(?:pt|sk)_[a-f0-9]{{32}}_[a-f0-9]{{10}}|PMAK-[a-f0-9]{{24}}-[a-f0-9]{{34}}"
        rf"|sl\.[A-Za-z0-9_-]{{100,200}}|tfp_[A-Za-z0-9_.=-]{{40,70}}|[sp]k\.eyJ[A-Za-z0-9_-]{{20,200}}\.[A-Za-z0-9_-]{{20,40}}"
        rf"|dt0[a-z]\d{{2}}\.[A-Z0-9]{{24}}\.[A-Z0-9]{{64}}|pul-[a-f0-9]{{40}}{_END}|ops_eyJ[A-Za-z0-9_-]{{100,1000}})",
    ),
    _token(
        "API key",
        "sk- sk_ xai- xai_ r8- r8_ tvly- tvly_ pplx- pplx_",
        r"(?:sk|gsk|xai|r8|tvly|pplx)[-_][A-Za-z0-9_-]{16,255}",
        is_key,
    ),
)
