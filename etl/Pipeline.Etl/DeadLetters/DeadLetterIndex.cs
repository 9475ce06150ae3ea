using Pipeline.Subscriptions;

namespace Pipeline.Etl.DeadLetters;

/// <summary>
/// A task's view of its dead letters: the keys that they hold, and the letters to retry. Thread-safe.
/// </summary>
/// <remarks>
/// The dead letters' documents are authoritative; this index follows their changes. A letter is taken when it is marked
/// or held, and no earlier letter has its key. Only one letter per key is taken at a time, so that a key's messages are
/// sent in the order of their changes.
/// </remarks>
internal sealed class DeadLetterIndex(string task)
{
    private readonly string _prefix = DeadLetterIds.PrefixOf(task);
    private readonly Lock _lock = new();
    private readonly Dictionary<string, Entry> _entries = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, SortedSet<Entry>> _holds = new(StringComparer.Ordinal);
    private readonly SortedSet<Entry> _loose = new(Entry.Order);
    private readonly DeadLetterChanges _changes = new();

    /// <summary>Reads the new changes of the collection of dead letters. Called by one thread at a time.</summary>
    public void Look(IFeedSnapshot snapshot) =>
        _changes.Read(
            snapshot,
            change =>
            {
                var id = change.Document.Id;
                if (!id.StartsWith(_prefix, StringComparison.OrdinalIgnoreCase))
                    return;
                if (change.Document.IsDeleted)
                    Remove(id);
                else
                    Note(ParkedLetter.Read(id, change.Document.Body, withContent: false));
            }
        );

    /// <summary>Whether letters wait to be tried again, or are being tried.</summary>
    public bool HasWork
    {
        get
        {
            lock (_lock)
            {
                return _loose.Count > 0
                    || _holds.Values.Any(letters =>
                        letters.Min is { } first && (first.IsTaken || first.IsMarked || first.IsHeld)
                    );
            }
        }
    }

    /// <summary>Whether letters hold a key.</summary>
    public bool IsHeld(string key)
    {
        lock (_lock)
            return _holds.ContainsKey(key);
    }

    /// <summary>Whether letters of changes before a position hold a key, apart from the given ones.</summary>
    public bool IsHeldBefore(string key, long position, IReadOnlySet<string> except)
    {
        lock (_lock)
        {
            return _holds.TryGetValue(key, out var letters)
                && letters.Any(l => l.Position < position && !except.Contains(l.Id));
        }
    }

    /// <summary>Records a letter that is being written.</summary>
    public void Hold(string key, string id, string documentId, long position, bool isHeld) =>
        Note(
            new ParkedLetter
            {
                Id = id,
                DocumentId = documentId,
                Position = position,
                Holds = key,
                IsHeld = isHeld,
            }
        );

    /// <summary>
    /// Takes the letters to retry now, in the order of their changes. Returns for each whether a later letter belongs
    /// to the same document.
    /// </summary>
    public List<(string Id, bool IsSuperseded)> Take(int max)
    {
        var taken = new List<(string, bool)>();
        lock (_lock)
        {
            foreach (var entry in _loose.Where(e => e.IsMarked && !e.IsTaken).Take(max).ToList())
            {
                entry.IsTaken = true;
                taken.Add((entry.Id, false));
            }

            foreach (var letters in _holds.Values)
            {
                if (taken.Count >= max)
                    break;
                var first = letters.Min!;
                if (first.IsTaken || !(first.IsMarked || first.IsHeld))
                    continue;
                first.IsTaken = true;
                taken.Add(
                    (
                        first.Id,
                        letters.Any(l =>
                            l != first && l.DocumentId.Equals(first.DocumentId, StringComparison.OrdinalIgnoreCase)
                        )
                    )
                );
            }
        }

        return taken;
    }

    /// <summary>Puts a letter back after its retry failed. It holds its key as before. It is retried only if it is
    /// marked again or if it is merely held.</summary>
    public void PutBack(ParkedLetter letter, bool isHeld)
    {
        lock (_lock)
        {
            Remove(letter.Id);
            Note(letter with { IsMarked = false, IsHeld = isHeld });
        }
    }

    /// <summary>Removes a letter.</summary>
    public void Remove(string id)
    {
        lock (_lock)
        {
            if (!_entries.Remove(id, out var entry))
                return;
            Forget(entry);
        }
    }

    private void Forget(Entry entry)
    {
        _loose.Remove(entry);
        if (entry.Holds is null || !_holds.TryGetValue(entry.Holds, out var letters))
            return;
        letters.Remove(entry);
        if (letters.Count == 0)
            _holds.Remove(entry.Holds);
    }

    /// <summary>
    /// Records a letter's state. A letter that is being sent stays taken while its state is unchanged.
    /// </summary>
    private void Note(ParkedLetter letter)
    {
        lock (_lock)
        {
            if (_entries.Remove(letter.Id, out var old))
                Forget(old);
            var entry = new Entry(letter.Id, letter.DocumentId, letter.Position, letter.Ordinal, letter.Holds)
            {
                IsMarked = letter.IsMarked,
                IsHeld = letter.IsHeld,
            };
            // A letter that is being sent must not be taken again because its document was reread.
            entry.IsTaken = old is { IsTaken: true } && letter.IsMarked == old.IsMarked && letter.IsHeld == old.IsHeld;
            if (entry.Holds is null && !entry.IsMarked)
                return;
            _entries[letter.Id] = entry;
            if (entry.Holds is null)
                _loose.Add(entry);
            else if (_holds.TryGetValue(entry.Holds, out var letters))
                letters.Add(entry);
            else
                _holds[entry.Holds] = new SortedSet<Entry>(Entry.Order) { entry };
        }
    }

    private sealed record Entry(string Id, string DocumentId, long Position, int Ordinal, string? Holds)
    {
        public static readonly Comparer<Entry> Order = Comparer<Entry>.Create(
            (a, b) =>
                a.Position != b.Position ? a.Position.CompareTo(b.Position)
                : a.Ordinal != b.Ordinal ? a.Ordinal.CompareTo(b.Ordinal)
                : string.CompareOrdinal(a.Id, b.Id)
        );

        public bool IsMarked { get; init; }

        public bool IsHeld { get; init; }

        public bool IsTaken { get; set; }
    }
}
