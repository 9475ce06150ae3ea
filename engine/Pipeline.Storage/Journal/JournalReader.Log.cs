namespace Pipeline.Storage;

internal sealed unsafe partial class JournalReader
{
    /// <summary>
    /// Hands the entries behind a position, up to a durable transaction, to the handler. Their files must all be behind
    /// the checkpoint or in use.
    /// </summary>
    /// <exception cref="LogUnavailableException">An entry no longer exists.</exception>
    /// <exception cref="JournalCorruptException">An entry cannot be read.</exception>
    public StoreState ReadOn(LogPosition from, long through, RecordHandler handler, CancellationToken ct)
    {
        var state = new StoreState
        {
            TransactionId = from.Transaction,
            PageCount = 0,
            FreePages = 0,
            CatalogRoot = 0,
            Ticks = 0,
            Journal = new JournalPosition(from.File, from.Offset, from.Chain),
        };
        foreach (var (number, path) in _named)
        {
            if (state.TransactionId >= through)
                break;
            // A file that was prepared and renamed in the meantime has no valid entry yet.
            if (!_files.Exists(path))
                continue;
            using var file = _files.Open(path, create: false);
            if (JournalFileHeader.Read(file, _storeId) != number)
                continue;
            var place = new JournalPosition(number, number == from.File ? from.Offset : JournalLayout.Block, 0);
            while (
                state.TransactionId < through
                && TryRead(file, place, place.Offset, out var found)
                && found.TransactionId == state.TransactionId + 1
                && ChainOf(_buffer.Start) == state.Journal.Chain
            )
            {
                ct.ThrowIfCancellationRequested();
                Decrypt(file, place, found.TransactionId);
                if (found.Mark == 0)
                    found = found with { Mark = state.Mark };
                Hand(file, place, found, handler);
                state = found;
                place = found.Journal;
            }
        }
        return state.TransactionId >= through
            ? state
            : throw new LogUnavailableException(
                _directory,
                state.TransactionId + 1,
                "its entry is missing, or its checksum does not match"
            );
    }
}
