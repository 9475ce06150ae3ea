namespace Pipeline.Storage;

internal sealed unsafe partial class JournalReader
{
    /// <summary>The first transaction of the chain that <see cref="ReplayLastEntries"/> has found.</summary>
    public long FirstReplayed { get; private set; }

    /// <summary>
    /// Without a checkpoint: hands the longest unbroken chain of entries that ends with the newest one to the handler,
    /// and returns how many they are. Entries of before the lost checkpoint do no harm: each byte ends as the last
    /// entry that changed it has it.
    /// </summary>
    public int ReplayLastEntries(RecordHandler handler)
    {
        var entries = new List<(string Path, JournalPosition Place, StoreState State, uint Chain)>();
        foreach (var (number, path) in _named)
        {
            using var file = _files.Open(path, create: false);
            var place = new JournalPosition(number, JournalLayout.Block, 0);
            for (var offset = place.Offset; offset + JournalLayout.Block <= file.Length; )
            {
                if (!TryRead(file, place, offset, out var state))
                {
                    offset += JournalLayout.Block;
                    continue;
                }
                entries.Add((path, place with { Offset = offset }, state, ChainOf(_buffer.Start)));
                offset = state.Journal.Offset;
            }
        }
        if (entries.Count == 0)
            return 0;
        entries.Sort(static (a, b) => a.State.TransactionId.CompareTo(b.State.TransactionId));
        var first = entries.Count - 1;
        while (
            first > 0
            && entries[first - 1].State.TransactionId == entries[first].State.TransactionId - 1
            && entries[first - 1].State.Journal.Chain == entries[first].Chain
        )
        {
            first--;
        }

        FirstReplayed = entries[first].State.TransactionId;
        foreach (var (path, place, _, _) in entries.Skip(first))
        {
            using var file = _files.Open(path, create: false);
            if (!TryRead(file, place, place.Offset, out var state))
                throw new JournalCorruptException(path, place.Offset, 0, "an entry changed while it was read");
            Decrypt(file, place, state.TransactionId);
            Hand(file, place, state, handler);
            BytesRead += state.Journal.Offset - place.Offset;
        }
        return entries.Count - first;
    }
}
