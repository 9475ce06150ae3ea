using System.Buffers;
using System.Globalization;
using System.IO.Compression;
using System.Text.Json;
using Pipeline.Database.Indexes;
using Pipeline.Documents;
using Pipeline.Documents.Transfer;
using Pipeline.Indexing;
using Pipeline.Json;

namespace Pipeline.Database.Transfer;

/// <summary>
/// Imports a dump of RavenDB (<c>.ravendbdump</c>, version 4 and later, plain or gzip): documents, C# indexes,
/// identities. Keeps ids, collections and the users' metadata, but not change vectors and times. Counts everything that
/// it leaves out. Memory is bounded whatever the size of the dump.
/// </summary>
public static class RavenDumpImport
{
    private const int MaxProblems = 100;

    /// <summary>Whether a file is named as dumps are.</summary>
    public static bool IsDump(string path) => path.EndsWith(".ravendbdump", StringComparison.OrdinalIgnoreCase);

    /// <summary>Imports a dump.</summary>
    /// <param name="database">The target.</param>
    /// <param name="path">The dump.</param>
    /// <param name="ct">Stops the import; earlier commits stay.</param>
    /// <returns>A report, once everything is durable.</returns>
    /// <exception cref="IOException">The file cannot be read, or is not a dump.</exception>
    public static async Task<RavenDumpReport> ImportAsync(
        DocumentDatabase database,
        string path,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(database);
        var file = new FileStream(
            path,
            FileMode.Open,
            FileAccess.Read,
            FileShare.Read,
            1 << 16,
            FileOptions.Asynchronous | FileOptions.SequentialScan
        );
        await using (file.ConfigureAwait(false))
        {
            var start = new byte[CompressedFile.MagicBytes];
            var read = await file.ReadAtLeastAsync(start, start.Length, throwOnEndOfStream: false, ct)
                .ConfigureAwait(false);
            file.Position = 0;
            if (CompressedFile.IsZstandard(start.AsSpan(0, read)))
            {
                throw new IOException(
                    $"{path} is compressed with Zstandard; unpack it first: zstd -d < dump > plain.ravendbdump"
                );
            }

            Stream stream = CompressedFile.IsGzip(start.AsSpan(0, read))
                ? new GZipStream(file, CompressionMode.Decompress, leaveOpen: true)
                : file;
            await using (stream.ConfigureAwait(false))
            {
                return await ImportAsync(database, stream, path, ct).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Imports a dump that arrives over a connection, not compressed.</summary>
    /// <param name="database">The target.</param>
    /// <param name="stream">The dump.</param>
    /// <param name="name">Its name for errors.</param>
    /// <param name="ct">Stops the import; earlier commits stay.</param>
    /// <inheritdoc cref="ImportAsync(DocumentDatabase, string, CancellationToken)"/>
    internal static async Task<RavenDumpReport> ImportAsync(
        DocumentDatabase database,
        Stream stream,
        string name,
        CancellationToken ct
    )
    {
        var run = new Run(database, stream);
        try
        {
            return await run.ReadAsync(ct).ConfigureAwait(false);
        }
        catch (Exception e) when (e is InvalidDataException or JsonException)
        {
            throw new IOException(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{name}: {e.Message.TrimEnd('.')} ({run.Documents:N0} documents before it are stored)"
                ),
                e
            );
        }
    }

    private sealed class Run(DocumentDatabase database, Stream stream)
    {
        private readonly JsonValueStream _json = new(stream, Math.Max(database.Limits.EffectiveBytes, 1 << 26));
        private readonly ArrayBufferWriter<byte> _value = new(64 * 1024);
        private readonly SortedDictionary<string, long> _leftOut = new(StringComparer.Ordinal);
        private readonly List<string> _problems = [];
        private int _indexes;
        private int _identities;
        private long _failed;

        /// <summary>Documents that are durable.</summary>
        public long Documents { get; private set; }

        public async Task<RavenDumpReport> ReadAsync(CancellationToken ct)
        {
            await _json.ExpectAsync('{', ct).ConfigureAwait(false);
            while (!await _json.TryTakeAsync('}', ct).ConfigureAwait(false))
            {
                await _json.ReadValueAsync(_value, ct).ConfigureAwait(false);
                var section = JsonSerializer.Deserialize<string>(_value.WrittenSpan) ?? "";
                await _json.ExpectAsync(':', ct).ConfigureAwait(false);
                if (await _json.PeekAsync(ct).ConfigureAwait(false) != '[')
                    await _json.ReadValueAsync(null, ct).ConfigureAwait(false);
                else if (section == "Docs")
                    await ReadDocumentsAsync(ct).ConfigureAwait(false);
                else
                    await ReadItemsAsync(section, ct).ConfigureAwait(false);
                await _json.TryTakeAsync(',', ct).ConfigureAwait(false);
            }

            return new RavenDumpReport(Documents, _indexes, _identities, _leftOut, _problems, _failed);
        }

        private async Task ReadDocumentsAsync(CancellationToken ct)
        {
            var insert = database.BeginBulkInsert();
            try
            {
                await using (insert.ConfigureAwait(false))
                    await ReadDocumentsAsync(insert, ct).ConfigureAwait(false);
            }
            finally
            {
                Documents += insert.Stored;
            }
        }

        private Task ReadDocumentsAsync(BulkInsert insert, CancellationToken ct) =>
            EachAsync(
                async () =>
                {
                    (var id, var attachment) = Look(_value.WrittenMemory);
                    if (attachment is { } bytes)
                    {
                        LeaveOut("Attachments");
                        await _json.SkipAsync(bytes, ct).ConfigureAwait(false);
                        return;
                    }

                    try
                    {
                        await insert.StoreAsync(id, _value.WrittenMemory, ct).ConfigureAwait(false);
                    }
                    catch (Exception e)
                        when (e is JsonFormatException or InvalidDocumentIdException or InvalidCollectionException)
                    {
                        Fail($"document '{id}': {e.Message}");
                    }
                },
                ct
            );

        private Task ReadItemsAsync(string section, CancellationToken ct) =>
            EachAsync(
                async () =>
                {
                    switch (section)
                    {
                        case "Indexes":
                            await DefineAsync(ct).ConfigureAwait(false);
                            break;
                        case "Identities":
                            await RaiseAsync(ct).ConfigureAwait(false);
                            break;
                        default:
                            LeaveOut(section);
                            (_, var attachment) = Look(_value.WrittenMemory);
                            if (attachment is { } bytes)
                                await _json.SkipAsync(bytes, ct).ConfigureAwait(false);
                            break;
                    }
                },
                ct
            );

        private async Task EachAsync(Func<ValueTask> take, CancellationToken ct)
        {
            await _json.ExpectAsync('[', ct).ConfigureAwait(false);
            while (!await _json.TryTakeAsync(']', ct).ConfigureAwait(false))
            {
                await _json.ReadValueAsync(_value, ct).ConfigureAwait(false);
                await take().ConfigureAwait(false);
                await _json.TryTakeAsync(',', ct).ConfigureAwait(false);
            }
        }

        private async Task DefineAsync(CancellationToken ct)
        {
            using var item = JsonDocument.Parse(_value.WrittenMemory);
            var json = item.RootElement;
            if (
                json.TryGetProperty("Type", out var type)
                && type.ToString() is { } kind
                && kind.StartsWith("Auto", StringComparison.Ordinal)
            )
            {
                LeaveOut("automatic indexes");
                return;
            }

            if (json.TryGetProperty("Index", out var inner))
                json = inner;
            var name = Text(json, "Name") ?? "";
            try
            {
                await database
                    .Indexes.PutAsync(
                        new IndexDefinition
                        {
                            Name = name,
                            Maps = json.TryGetProperty("Maps", out var maps)
                                ? [.. maps.EnumerateArray().Select(m => m.GetString() ?? "")]
                                : [],
                            Reduce = Text(json, "Reduce"),
                            Fields =
                                json.TryGetProperty("Fields", out var fields)
                                && fields.ValueKind == JsonValueKind.Object
                                    ? fields.EnumerateObject().ToDictionary(f => f.Name, f => Field(f.Value))
                                    : new Dictionary<string, IndexFieldDefinition>(),
                        },
                        ct
                    )
                    .ConfigureAwait(false);
                _indexes++;
            }
            catch (InvalidIndexException e)
            {
                Fail($"index '{name}': {e.Message.Split('\n')[0]}");
            }
        }

        private async Task RaiseAsync(CancellationToken ct)
        {
            using var item = JsonDocument.Parse(_value.WrittenMemory);
            var prefix = Text(item.RootElement, "Key")?.TrimEnd('|', '/') ?? "";
            if (
                prefix.Length == 0
                || !item.RootElement.TryGetProperty("Value", out var value)
                || !long.TryParse(value.ToString(), CultureInfo.InvariantCulture, out var number)
            )
            {
                return;
            }

            await database.WriteAsync(t => t.SeedIdentity(prefix, Math.Max(0, number)), ct).ConfigureAwait(false);
            _identities++;
        }

        private static IndexFieldDefinition Field(JsonElement json) =>
            new()
            {
                Indexing = Text(json, "Indexing") switch
                {
                    "Search" => TermForm.Search,
                    "Exact" => TermForm.Exact,
                    "No" => TermForm.No,
                    _ => null,
                },
                Analyzer = Text(json, "Analyzer") is { Length: > 0 } analyzer
                    ? analyzer.Split(',')[0].Split('.')[^1]
                    : null,
                Stored = Text(json, "Storage") == "Yes",
            };

        /// <summary>
        /// The id of a document, or the length in bytes of the attachment whose raw content follows the object.
        /// </summary>
        private static (string? Id, long? Attachment) Look(ReadOnlyMemory<byte> value)
        {
            var reader = new Utf8JsonReader(value.Span);
            string? id = null;
            long? size = null;
            var isAttachment = false;
            reader.Read();
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                bool metadata = reader.ValueTextEquals("@metadata"u8),
                    bytes = reader.ValueTextEquals("Size"u8);
                reader.Read();
                if (bytes && reader.TokenType == JsonTokenType.Number)
                    size = reader.GetInt64();
                if (!metadata || reader.TokenType != JsonTokenType.StartObject)
                {
                    reader.Skip();
                    continue;
                }

                while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                {
                    bool isId = reader.ValueTextEquals("@id"u8),
                        isType = reader.ValueTextEquals("@export-type"u8);
                    reader.Read();
                    if (isId)
                        id = reader.GetString();
                    else if (isType)
                        isAttachment = reader.ValueTextEquals("Attachment"u8);
                    reader.Skip();
                }
            }

            return (id, isAttachment ? size ?? 0 : null);
        }

        private void LeaveOut(string what) => _leftOut[what] = _leftOut.GetValueOrDefault(what) + 1;

        private void Fail(string problem)
        {
            _failed++;
            if (_problems.Count < MaxProblems)
                _problems.Add(problem);
        }

        private static string? Text(JsonElement json, string name) =>
            json.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String
                ? value.GetString()
                : null;
    }
}
