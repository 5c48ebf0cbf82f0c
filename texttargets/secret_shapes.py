"""The secrets that what stands beside them announces, after those with a shape of their own. Knows patterns only.

Redaction is in secrets.py; what tells a secret from a word or a place for one is in secret_signs.py.
"""

from __future__ import annotations

import re

from texttargets.secret_signs import (
    Shape,
    chosen,
    is_cookies,
    is_login,
    is_password_in_prose,
    is_private_pem,
    is_random,
    is_session,
    is_very_random,
)
from texttargets.secret_tokens import BLOCKS, TOKENS

_NAMES_PASSWORD = r"password|passwd|passphrase|passcode|pwd"
_NAMES_SECRET = (
    r"secret|secret[_ -]?key|api[_ -]?key|access[_ -]?key|account[_ -]?key|private[_ -]?key|signing[_ -]?key|token"
    r"|credentials?|session[_-]?(?:id|key)|signature|shared[_ -]?access[_ -]?key"
)
SECRET_NAME = re.compile(
    rf"(?i)[a-z0-9_-]{{0,40}}?(?:{_NAMES_PASSWORD}|secret|secret[_-]?key|api[_-]?key|access[_-]?key|private[_-]?key)"
)
_PASSWORD = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_PASSWORD}))"
_SECRET = rf"(?<![A-Za-z0-9])(?P<name>[A-Za-z0-9_-]{{0,40}}?(?i:{_NAMES_SECRET}))"
# Images, documents and public keys in Base64 begin like this; lines of it stand one below the other.
_NO_FILE = r"(?!iVBORw0KG|R0lGOD|/9j/|UklGR|JVBERi0|PHN2Zy|UEsDB|AAABAA|AAAA[BC]3Nza|AAAAE2Vj)"
_LINE_ABOVE = r"(?<![A-Za-z0-9+/]{40}\n)(?<![A-Za-z0-9+/]{40}\r\n)(?<![A-Za-z0-9+/]{40}\\n)"
_LINE_BELOW = r"(?!\\?\r?(?:\n|\\n)[A-Za-z0-9+/]{40})"

_HEADERS = (
    Shape(
        "bearer token", ("bearer",), re.compile(r"(?i)\bbearer[ \t]+(?P<value>[A-Za-z0-9._~+/-]{16,4096}=*)"), is_random
    ),
    Shape(
        "basic credentials",
        ("basic",),
        re.compile(
            r"(?i)\bauthorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?basic\s{1,3}(?P<value>[A-Za-z0-9+/]{8,1024}=*)"
        ),
    ),
    Shape(
        "basic credentials",
        ("basic",),
        re.compile(r"(?i)\bbasic[ \t]{1,3}(?P<value>[A-Za-z0-9+/]{8,1024}={0,2})(?![A-Za-z0-9+/=])"),
        is_login,
    ),
    Shape(
        "basic credentials",
        ("auth",),  # a Docker configuration
        re.compile(r"\\?\"auth\\?\"\s{0,3}:\s{0,3}\\?\"(?P<value>[A-Za-z0-9+/]{8,1024}={0,2})\\?\""),
        is_login,
    ),
    Shape(
        "authorization",
        ("authorization",),
        re.compile(
            r"(?i)\bauthorization\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?(?:[a-z][a-z0-9-]{1,30}\s{1,3}(?:token=)?)?\\?[\"']?"
            r"(?P<value>[A-Za-z0-9._~+/-]{12,4096}=*)"
        ),
        is_random,
    ),
    Shape(
        "cookie",
        ("cookie",),  # the whole header: which of its values is the session's, its names do not say
        re.compile(
            r"(?i)\bcookies?\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?"
            r"(?P<value>[\w.-]{1,80}=[^\s;,\"'\\]{1,4096}(?:;\s{0,3}[\w.-]{1,80}(?:=[^\s;,\"'\\]{0,4096})?){0,60})"
        ),
        is_cookies,
    ),
    Shape(
        "session token",
        ("sess", "sid"),
        re.compile(
            r"(?i)(?<![a-z0-9])[a-z0-9_.-]{0,20}?(?:session|sess(?:ion)?[_-]?id|sid)\\?[\"']?\s{0,3}[:=]\s{0,3}"
            r"\\?[\"']?(?P<value>[A-Za-z0-9._~%+/-]{20,4096}=*)"
        ),
        is_session,
    ),
    Shape(
        "signed address",
        ("sig=", "signature="),
        re.compile(r"(?i)[?&](?:sig|x-(?:amz|goog)-signature)=(?P<value>[A-Za-z0-9%+/=_-]{20,1024})"),
        is_random,
    ),
)
_ADDRESSES = (
    Shape(
        "password in an address",
        ("://",),
        re.compile(
            r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<value>[^\s/\"'<>]{1,200})@(?=[\w\[.-])"
        ),
        chosen,
    ),
    Shape(
        "password in an address",
        ("://",),  # a token alone, in the place of the user
        re.compile(r"://(?P<value>[A-Za-z0-9_-]{20,200})(?::x-oauth-basic)?@(?=\w)"),
        is_random,
    ),
    Shape(
        "password in an address",
        ("jdbc:oracle",),
        re.compile(r"(?i)jdbc:oracle:\w{1,10}:[^\s/@]{1,100}/(?P<value>[^\s@\"']{1,200})@"),
        chosen,
    ),
    Shape(
        "password in .netrc",
        ("machine", "default"),
        re.compile(
            r"(?i)\b(?:machine\s{1,20}\S{1,200}|default)\s{1,20}login\s{1,20}\S{1,200}\s{1,20}"
            r"(?:account\s{1,20}\S{1,200}\s{1,20})?password\s{1,20}(?P<value>\S{1,200})"
        ),
        lambda value: not value.startswith(("<", "$", "[", "{")),
    ),
    Shape(
        "password in .pgpass",
        (":543", ":6432:", ":*:"),
        re.compile(r"(?m)^[\w.*-]{1,100}:(?:543\d|6432|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<value>\S{4,200})$"),
        chosen,
    ),
)
_COMMANDS = (
    Shape(
        "password on a command line",
        ("curl", "wget", "http"),
        re.compile(
            r"\b(?:curl|https?)\b[^\n]{0,300}?\s(?:-u|--user|-a)[ =]?[\"']?[^\s:\"'/]{1,100}:(?P<value>[^\s\"']{1,200})"
        ),
        chosen,
    ),
    Shape(
        "password on a command line",
        ("mysql", "mariadb", "sshpass"),
        re.compile(
            r"\b(?:(?:mysql|mariadb)\w{0,10}\b[^\n]{0,200}?\s-p|sshpass\s{1,3}-p\s{0,3})[\"']?(?P<value>[^\s\"']{4,200})"
        ),
        chosen,
    ),
    Shape(
        "password on a command line",
        ("--pass", "--token", "--secret", "--api"),
        re.compile(r"--(?:password|passwd|passphrase|token|secret|api-?key)[ =]{1,3}[\"']?(?P<value>[^\s\"']{6,400})"),
        is_password_in_prose,
    ),
)
_NAMED = (
    Shape(
        "private key",
        ("ls0tls1crudj",),
        re.compile(r"(?<![A-Za-z0-9+/])(?P<value>LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2})"),
        is_private_pem,
    ),
    Shape(
        "password",
        ("pass", "pwd"),  # password = "…" and {"password": "…"}, also inside JSON that is itself a text
        re.compile(_PASSWORD + r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}\\?([\"'])(?P<value>[^\"'\\\n]{4,200})\\?[\"']"),
        chosen,
    ),
    Shape("password", ("pass", "pwd"), re.compile(_PASSWORD + r"=(?P<value>[^\s\"'\\,;<>&)]{4,200})"), chosen),
    Shape(
        "password",
        ("pass", "pwd"),
        re.compile(_PASSWORD + r"(?:\s{0,3}[:=]\s{0,3}|\s{1,3}is\s{1,3})(?P<value>[^\s\"'\\,;<>&)]{4,200})"),
        is_password_in_prose,
    ),
    Shape(
        "secret",
        ("secret", "key", "token", "credential", "session", "signature"),
        re.compile(
            _SECRET + r"(?:\\?[\"'])?(?:\s{0,3}[:=]\s{0,3}|\s{1,3}is\s{1,3})(?:\\?[\"'])?"
            r"(?P<value>[A-Za-z0-9._~+/-]{12,4096}=*)"
        ),
        is_random,
    ),
)
_UNANNOUNCED = Shape(
    "random token",
    ("",),
    re.compile(
        rf"(?:(?<![A-Za-z0-9_/+.-])|(?<=\\[nrt]))(?<!base64,){_LINE_ABOVE}{_NO_FILE}[A-Za-z0-9_-]{{32,128}}(?![A-Za-z0-9_/+=-]){_LINE_BELOW}"
    ),
    is_very_random,
)

ANNOUNCED = (*BLOCKS, *_HEADERS, *_ADDRESSES, *_COMMANDS, *_NAMED)
SHAPES = (*TOKENS, *ANNOUNCED, _UNANNOUNCED)
"""Without a long run of characters only what is announced can be there."""
