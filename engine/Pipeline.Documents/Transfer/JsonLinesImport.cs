using Pipeline.Json;

namespace Pipeline.Documents.Transfer;

/// <summary>Imports JSON lines: one document a line, its id and collection under <c>@metadata</c>.</summary>
/// <remarks>
/// A document without <c>@id</c> gets a GUID; one whose <c>@id</c> ends in <c>/</c> or <c>|</c> gets the next sortable
/// id or identity. One without <c>@collection</c> goes to <c>@empty</c>. One whose id exists becomes its new version.
/// Change vectors and times in the file are ignored. A line whose <c>@export-type</c> marks it as an attachment, an
/// event, a stream's snapshot or a compare-exchange value is imported as such, after the documents before it are
/// stored; existing events count as stored. Blank lines are skipped. Memory is bounded whatever the size of the file.
/// </remarks>
public static class JsonLinesImport
{
    /// <summary>Imports files one after the other.</summary>
    /// <param name="database">The target.</param>
    /// <param name="paths">The files, plain or gzip (recognized by their first bytes).</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <param name="ct">Stops the import; earlier commits stay.</param>
    /// <returns>A report, once everything is durable.</returns>
    /// <exception cref="ImportException">
    /// With <see cref="ImportErrorHandling.Abort"/>: a line is not a document. All files are read completely before the
    /// first document is stored, so nothing was imported. (If the disk fails later, earlier commits stay; importing
    /// again replaces them.)
    /// </exception>
    /// <exception cref="IOException">
    /// A file cannot be read, or has changed since the import of it was interrupted.
    /// </exception>
    public static async Task<ImportReport> ImportAsync(
        DocumentStorage database,
        IReadOnlyList<string> paths,
        ImportOptions? options = null,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(paths);
        options ??= new ImportOptions();
        var progress = ImportProgress.Begin(database, paths, options.PlaceKey);
        if (progress.Start.IsComplete)
            return new ImportReport(0, 0, []);
        if (options.OnError == ImportErrorHandling.Abort)
        {
            var faults = new Faults(options.MaxReportedErrors);
            for (var i = progress.Start.File; i < paths.Count; i++)
            {
                await ValidateAsync(new Lines(paths[i]), progress.LinesBefore(i), database, faults, ct)
                    .ConfigureAwait(false);
            }

            if (faults.Count > 0)
                throw new ImportException(faults.Count, faults.First);
        }

        var skipped = new Faults(options.MaxReportedErrors);
        var insert = new BulkInsert(database, options.BulkInsert)
        {
            NextMark = options.PlaceKey is null ? null : progress.NextMark,
        };
        await using (insert.ConfigureAwait(false))
        {
            long lines = 0;
            for (var i = progress.Start.File; i < paths.Count; i++)
            {
                lines = await StoreAsync(
                        new Lines(paths[i]),
                        i,
                        database,
                        insert,
                        skipped,
                        options.Progress,
                        progress,
                        lines,
                        ct
                    )
                    .ConfigureAwait(false);
            }

            var imported = await insert.CompleteAsync(ct).ConfigureAwait(false);
            if (options.PlaceKey is not null)
                await progress.CompleteAsync(database, ct).ConfigureAwait(false);

            // The first reading has found all other errors: what remains is a file that changed since, or a refusal by
            // the database.
            if (options.OnError == ImportErrorHandling.Abort && skipped.Count > 0)
            {
                throw new IOException(
                    $"{skipped.First[0]} (that showed only when it was stored: what came before it is imported)"
                );
            }

            return new ImportReport(imported, skipped.Count, skipped.First);
        }
    }

    /// <summary>
    /// Reads lines that arrive over a connection, once: either checks them and stores nothing, or stores those that are
    /// documents.
    /// </summary>
    /// <param name="database">The target.</param>
    /// <param name="lines">The lines, not compressed.</param>
    /// <param name="name">The name for errors.</param>
    /// <param name="stores">Whether to store documents.</param>
    /// <param name="ct">Stops the import; earlier commits stay.</param>
    /// <returns>A report, once everything is durable.</returns>
    internal static async Task<ImportReport> ImportAsync(
        DocumentStorage database,
        Stream lines,
        string name,
        bool stores,
        CancellationToken ct
    )
    {
        var options = new ImportOptions();
        var faults = new Faults(options.MaxReportedErrors);
        var source = new Lines(name, lines);
        if (!stores)
        {
            await ValidateAsync(source, 0, database, faults, ct).ConfigureAwait(false);
            return new ImportReport(0, faults.Count, faults.First);
        }

        var progress = ImportProgress.Begin(database, [name], null);
        var insert = new BulkInsert(database, options.BulkInsert);
        await using (insert.ConfigureAwait(false))
        {
            await StoreAsync(source, 0, database, insert, faults, null, progress, 0, ct).ConfigureAwait(false);
            return new ImportReport(await insert.CompleteAsync(ct).ConfigureAwait(false), faults.Count, faults.First);
        }
    }

    /// <summary>How far an import that keeps its place has come.</summary>
    /// <param name="database">Where to.</param>
    /// <param name="placeKey"><see cref="ImportOptions.PlaceKey"/>.</param>
    /// <returns>The place, or null if nothing has been stored yet.</returns>
    public static ImportPlace? ReadPlace(DocumentStorage database, string placeKey)
    {
        ArgumentNullException.ThrowIfNull(database);
        using var snapshot = database.OpenSnapshot();
        return ImportPlace.Parse(snapshot.GetState(placeKey));
    }

    private static async Task ValidateAsync(
        Lines source,
        long after,
        DocumentStorage database,
        Faults faults,
        CancellationToken ct
    )
    {
        var scratch = new BulkInsertBatch(skipsUnchanged: false);
        var parts = new PartLinesImport(null);
        await using var closing = parts.ConfigureAwait(false);
        await EachLineAsync(
                source,
                after,
                database,
                faults,
                (_, line) =>
                {
                    if (PartLines.TypeOf(line.Span) is { } type)
                        return new ValueTask(parts.AddAsync(type, line, ct));
                    scratch.Clear();
                    scratch.Add(null, line.Span, database.Limits);
                    return default;
                },
                () => parts.FlushAsync(ct),
                ct
            )
            .ConfigureAwait(false);
        scratch.Release();
    }

    private static async Task<long> StoreAsync(
        Lines source,
        int file,
        DocumentStorage database,
        BulkInsert insert,
        Faults faults,
        IProgress<long>? progress,
        ImportProgress place,
        long lines,
        CancellationToken ct
    )
    {
        var parts = new PartLinesImport(database);
        await using var closing = parts.ConfigureAwait(false);
        await EachLineAsync(
                source,
                place.LinesBefore(file),
                database,
                faults,
                (number, line) =>
                {
                    if (++lines % 10_000 == 0)
                        progress?.Report(lines);
                    if (PartLines.TypeOf(line.Span) is { } type)
                        return new ValueTask(AddPartAsync(type, line));

                    // Parts are not counted: a resumed import stores them again, which changes nothing.
                    place.Reach(file, number);
                    return insert.StoreAsync(null, line, ct);
                },
                () => parts.FlushAsync(ct),
                ct
            )
            .ConfigureAwait(false);
        return lines;

        async Task AddPartAsync(string type, ReadOnlyMemory<byte> line)
        {
            await insert.FlushAsync(ct).ConfigureAwait(false);
            await parts.AddAsync(type, line, ct).ConfigureAwait(false);
        }
    }

    private static async Task EachLineAsync(
        Lines source,
        long after,
        DocumentStorage database,
        Faults faults,
        Func<long, ReadOnlyMemory<byte>, ValueTask> take,
        Func<Task> end,
        CancellationToken ct
    )
    {
        var maxLine = database.Limits.EffectiveBytes;
        var reader = source.Opened is { } opened
            ? JsonLinesReader.Of(opened, maxLine)
            : await JsonLinesReader.OpenAsync(source.Name, maxLine, ct).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            while (true)
            {
                try
                {
                    if (!await reader.ReadAsync(ct).ConfigureAwait(false))
                        break;
                }
                catch (InvalidDataException e)
                {
                    faults.Add(
                        new ImportError(
                            source.Name,
                            reader.LineNumber + 1,
                            1,
                            $"the compressed file is damaged from here on: {e.Message}"
                        )
                    );
                    break;
                }

                if (reader.IsUtf16)
                {
                    faults.Add(
                        new ImportError(
                            source.Name,
                            1,
                            1,
                            "the file is UTF-16; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 < old > new"
                        )
                    );
                    break;
                }

                if (reader.LineNumber <= after)
                    continue;
                if (reader.IsTooLong)
                {
                    faults.Add(
                        new ImportError(
                            source.Name,
                            reader.LineNumber,
                            1,
                            $"the line has more than the {maxLine:N0} bytes allowed"
                        )
                    );
                    continue;
                }

                try
                {
                    await take(reader.LineNumber, reader.Line).ConfigureAwait(false);
                }
                catch (JsonFormatException e)
                {
                    faults.Add(new ImportError(source.Name, reader.LineNumber, e.ByteInLine, e.Reason));
                }
                catch (Exception e)
                    when (e is InvalidDocumentIdException or InvalidCollectionException or PartLineException)
                {
                    faults.Add(new ImportError(source.Name, reader.LineNumber, 1, e.Message.TrimEnd('.')));
                }
            }

            try
            {
                await end().ConfigureAwait(false);
            }
            catch (PartLineException e)
            {
                faults.Add(new ImportError(source.Name, reader.LineNumber, 1, e.Message));
            }
        }
    }

    /// <summary>Lines to read.</summary>
    /// <param name="Name">The file.</param>
    /// <param name="Opened">The lines, if they come from elsewhere; the name then only stands in errors.</param>
    private readonly record struct Lines(string Name, Stream? Opened = null);

    private sealed class Faults(int most)
    {
        private readonly List<ImportError> _first = [];

        internal long Count { get; private set; }

        internal List<ImportError> First => _first;

        internal void Add(ImportError error)
        {
            Count++;
            if (_first.Count < Math.Max(1, most))
                _first.Add(error);
        }
    }
}
