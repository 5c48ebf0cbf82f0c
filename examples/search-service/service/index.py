"""Finds notes by words. Rebuilds what it knows for every query, and keeps every note three times."""


class Index:
    def __init__(self, notes):
        self.notes = dict(notes)
        self.copies = [dict(notes), {name: text.lower() for name, text in notes.items()}]

    def words(self, text):
        return [word.strip(".,;:!?") for word in text.lower().split()]

    def search(self, query):
        wanted = set(self.words(query))
        scores = {}
        for name, text in self.notes.items():
            found = sum(1 for word in self.words(text) if word in wanted)
            if found:
                scores[name] = found
        return sorted(scores, key=lambda name: (-scores[name], name))[:10]
