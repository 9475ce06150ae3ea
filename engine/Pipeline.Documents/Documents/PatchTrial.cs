using Pipeline.JavaScript;
using Pipeline.Scripting;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>What a patch would do to a document. Nothing is stored.</summary>
public sealed record PatchTrial
{
    /// <summary>The document.</summary>
    public required string Id { get; init; }

    /// <summary>The stored document, or null.</summary>
    public Document? Before { get; init; }

    /// <summary>The JSON that would be stored; null if the script changes nothing or deletes the document.</summary>
    public ReadOnlyMemory<byte>? After { get; init; }

    /// <summary>Whether the script would delete the document.</summary>
    public bool IsDeleted { get; init; }

    /// <summary>The ids of other documents that the script would store; an id to be generated ends as the script wrote it.</summary>
    public IReadOnlyList<string> Stored { get; init; } = [];

    /// <summary>The ids of other documents that the script would delete.</summary>
    public IReadOnlyList<string> Deleted { get; init; } = [];

    /// <summary>The values that the script passed to <c>output(…)</c>.</summary>
    public IReadOnlyList<string> Output { get; init; } = [];

    /// <summary>Runs a patch over a document of a snapshot.</summary>
    /// <param name="snapshot">The documents that the script sees.</param>
    /// <param name="id">The document.</param>
    /// <param name="patch">The script.</param>
    /// <param name="now">The value of <c>new Date()</c>.</param>
    /// <param name="ct">Stops the script.</param>
    /// <exception cref="ScriptRuntimeException">The script failed, or went over a limit.</exception>
    public static PatchTrial Run(
        DatabaseSnapshot snapshot,
        string id,
        DocumentPatch patch,
        DateTimeOffset now,
        CancellationToken ct = default
    )
    {
        ArgumentNullException.ThrowIfNull(snapshot);
        ArgumentNullException.ThrowIfNull(patch);
        if (!snapshot.TryGet(id, out var before))
            return new PatchTrial { Id = id };
        var overlay = new Overlay(snapshot);
        var outcome = patch.Script.Run(new PatchRun(before.ToScriptDocument(), patch.Arguments, overlay, now), ct);

        // As for a real patch: the script's own put or deletion of the document stands unless it changed `this` too.
        var own = overlay.Of(id);
        return new PatchTrial
        {
            Id = id,
            Before = before,
            After = outcome.Changed ?? own?.Json,
            IsDeleted = outcome.Changed is null && own is { Json: null },
            Stored = overlay.Others(id, isStored: true),
            Deleted = overlay.Others(id, isStored: false),
            Output = outcome.Output,
        };
    }

    /// <summary>The documents of a snapshot below those that the script has put and deleted.</summary>
    private sealed class Overlay(DatabaseSnapshot snapshot) : IPatchDocuments
    {
        private readonly Dictionary<string, Written> _written = new(StringComparer.OrdinalIgnoreCase);

        public Written? Of(string id) => _written.GetValueOrDefault(id);

        public IReadOnlyList<string> Others(string id, bool isStored) =>
            [
                .. _written
                    .Where(w =>
                        w.Value.Json is not null == isStored
                        && !string.Equals(w.Key, id, StringComparison.OrdinalIgnoreCase)
                    )
                    .Select(w => w.Key)
                    .Order(StringComparer.Ordinal),
            ];

        public bool TryLoad(string id, out ScriptDocument document)
        {
            document = default;
            if (_written.TryGetValue(id, out var written))
            {
                if (written.Json is not { } json)
                    return false;
                document = new ScriptDocument(id, Json.BinaryJson.Parse(json.Span));
                return true;
            }

            if (!snapshot.TryGet(id, out var found))
                return false;
            document = found.ToScriptDocument();
            return true;
        }

        public string Put(string? id, ReadOnlySpan<byte> json, string? changeVector)
        {
            var name = string.IsNullOrEmpty(id) ? "(a new id)" : id;
            Check(name, changeVector);
            _written[name] = new Written(json.ToArray());
            return name;
        }

        public bool Delete(string id, string? changeVector)
        {
            Check(id, changeVector);
            if (!TryLoad(id, out _))
                return false;
            _written[id] = new Written(null);
            return true;
        }

        public bool IsStoreFailure(Exception error) => error is StorageException;

        private void Check(string id, string? changeVector)
        {
            if (changeVector is null)
                return;
            var current =
                _written.ContainsKey(id) ? null
                : snapshot.TryGet(id, out var found) ? found.ChangeVector
                : "";
            if (current is not null && current != changeVector)
                throw new ConcurrencyException(id, changeVector, current.Length == 0 ? null : current);
        }
    }

    private sealed record Written(ReadOnlyMemory<byte>? Json);
}
