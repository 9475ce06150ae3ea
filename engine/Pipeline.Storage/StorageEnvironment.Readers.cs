using System.Globalization;

namespace Pipeline.Storage;

public sealed partial class StorageEnvironment
{
    private readonly ReaderPages?[] _openPages;

    /// <summary>The open read transactions, oldest snapshot first, with what each holds back.</summary>
    public IReadOnlyList<ReaderStatistics> GetReaders()
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        return [.. Readers().Select(r => r.Statistics)];
    }

    /// <summary>The input and output since the opening, by kind.</summary>
    public IReadOnlyList<IoStatistics> GetIoStatistics() => _store.Io.Snapshot();

    /// <summary>Ends the reading of those that are over a limit; called from time to time by the flush.</summary>
    internal void ExpireReaders()
    {
        var options = _store.Options;
        if (options.MaxReaderAge is null && options.MaxReaderHeldBytes is null)
            return;
        foreach (var (pages, state, reader) in Readers())
        {
            var limit =
                options.MaxReaderAge is { } age && reader.Age > age
                    ? string.Create(CultureInfo.InvariantCulture, $"StorageOptions.MaxReaderAge = {age}")
                : options.MaxReaderHeldBytes is { } bytes && reader.HeldBytes > bytes
                    ? string.Create(CultureInfo.InvariantCulture, $"StorageOptions.MaxReaderHeldBytes = {bytes:N0}")
                : null;
            if (limit is null || !pages.Expire(state, new ReaderExpiredException(reader, limit)))
                continue;
            StorageLog.ReaderExpired(_store.Logger, _store.Name, reader.Owner, reader.Transaction, limit);
        }
    }

    private List<(ReaderPages Pages, StoreState State, ReaderStatistics Statistics)> Readers()
    {
        var found = new List<(ReaderPages Pages, StoreState State, long StartedAt)>();
        for (var slot = 0; slot < _openPages.Length; slot++)
        {
            if (
                Volatile.Read(ref _openPages[slot]) is not { } pages
                || !_store.Readers.TryGet(slot, out var snapshot, out var startedAt)
            )
            {
                continue;
            }

            var state = pages.State;
            if (state.TransactionId == snapshot)
                found.Add((pages, state, startedAt));
        }
        found.Sort(static (a, b) => a.State.TransactionId.CompareTo(b.State.TransactionId));
        var held = _flusher.HeldBack([.. found.Select(f => f.State.TransactionId)]);
        return
        [
            .. found.Select(
                (f, i) =>
                    (
                        f.Pages,
                        f.State,
                        new ReaderStatistics(
                            f.Pages.Owner,
                            f.State.TransactionId,
                            _store.Options.TimeProvider.GetElapsedTime(f.StartedAt),
                            held[i].Transactions,
                            held[i].Versions,
                            held[i].Bytes,
                            held[i].Journal
                        )
                    )
            ),
        ];
    }
}
