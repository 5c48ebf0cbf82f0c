"""Groups short messages. Takes the first word for what a message is about, which is seldom right."""


def groups(messages):
    found = {}
    for message in messages:
        found.setdefault(message.split()[0].lower(), []).append(message)
    return found
