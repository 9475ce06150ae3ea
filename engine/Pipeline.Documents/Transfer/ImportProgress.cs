using System.Globalization;

namespace Pipeline.Documents.Transfer;

/// <summary>The place of a running import. Not thread-safe.</summary>
internal sealed class ImportProgress
{
    private readonly string? _key;
    private byte[]? _committed;
    private ImportPlace _reached;

    private ImportProgress(string? key, byte[]? committed, ImportPlace start)
    {
        _key = key;
        _committed = committed;
        Start = start;
        _reached = start;
    }

    /// <summary>Where the import begins.</summary>
    internal ImportPlace Start { get; }

    /// <exception cref="IOException">The files are not those of the import that was interrupted.</exception>
    internal static ImportProgress Begin(DocumentStorage database, IReadOnlyList<string> paths, string? key)
    {
        if (key is null)
            return new ImportProgress(null, null, new ImportPlace(0, 0, false, []));
        using var snapshot = database.OpenSnapshot();
        var bytes = snapshot.GetState(key);
        if (ImportPlace.Parse(bytes) is { IsComplete: true } complete)
            return new ImportProgress(key, bytes, complete);
        long[] lengths = [.. paths.Select(p => new FileInfo(p).Length)];
        if (ImportPlace.Parse(bytes) is not { } place)
            return new ImportProgress(key, bytes, new ImportPlace(0, 0, false, lengths));
        CheckUnchanged(place, paths, lengths);
        return new ImportProgress(key, bytes, place);
    }

    /// <summary>Lines of a file that earlier calls have dealt with.</summary>
    internal long LinesBefore(int file) => file == Start.File ? Start.Line : 0;

    internal void Reach(int file, long line) => _reached = _reached with { File = file, Line = line };

    /// <summary>The mark of the next commit: all lines up to the one reached.</summary>
    internal BulkInsertBatch.BatchMark NextMark()
    {
        var mark = new BulkInsertBatch.BatchMark(_key!, _committed, _reached.ToBytes());
        _committed = mark.After;
        return mark;
    }

    internal Task CompleteAsync(DocumentStorage database, CancellationToken ct) =>
        database.WriteAsync(t => t.SetState(_key!, (_reached with { IsComplete = true }).ToBytes()), ct);

    private static void CheckUnchanged(ImportPlace place, IReadOnlyList<string> paths, long[] lengths)
    {
        const string remedy = "restore the former file, or import into an empty folder";
        if (lengths.Length != place.Lengths.Count)
        {
            throw new IOException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"an import of {place.Lengths.Count} files was interrupted, but this one has {lengths.Length}; name the same files, or import into an empty folder"
                )
            );
        }

        for (var i = 0; i < lengths.Length; i++)
        {
            if (lengths[i] != place.Lengths[i])
            {
                throw new IOException(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{paths[i]} has changed since its import was interrupted ({place.Lengths[i]} bytes then, {lengths[i]} now); {remedy}"
                    )
                );
            }
        }
    }
}
