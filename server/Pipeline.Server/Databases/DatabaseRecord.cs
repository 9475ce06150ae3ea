using System.Text.Json;
using System.Text.Json.Nodes;
using Pipeline.Database;

namespace Pipeline.Server.Databases;

/// <summary>
/// The settings that clients store for a database in addition to its documents: a JSON object with a number that grows
/// with each change. Stored in the database. Thread-safe.
/// </summary>
internal sealed class DatabaseRecord
{
    private const string Key = "server/record";
    private readonly DocumentDatabase _database;
    private readonly Lock _gate = new();
    private volatile State? _state;

    /// <summary>Creates the record of a database; it is read on first use.</summary>
    public DatabaseRecord(DocumentDatabase database) => _database = database;

    /// <summary>The number of the last change, from 1.</summary>
    public long ETag => Current.ETag;

    /// <summary>Whether requests to the database are refused.</summary>
    public bool IsDisabled => Current.IsDisabled;

    /// <summary>
    /// Whether the database may be deleted: <c>Unlock</c>, <c>PreventDeletesIgnore</c> or <c>PreventDeletesError</c>.
    /// </summary>
    public string LockMode => Current.LockMode;

    /// <summary>The number of the client configuration. Clients learn when it grows; 0 before there is one.</summary>
    public long ClientETag => Current.ClientETag;

    /// <summary>The separator that clients put between name and number in ids.</summary>
    public char IdSeparator => Current.IdSeparator;

    /// <summary>A copy that the caller may change.</summary>
    public JsonObject Copy() => (JsonObject)Current.Json.DeepClone();

    /// <summary>Changes the record; durable when it completes.</summary>
    /// <param name="change">Changes the object, or throws. It may run more than once.</param>
    /// <param name="ct">Stops waiting.</param>
    /// <returns>The number of the change.</returns>
    public async Task<long> ChangeAsync(Action<JsonObject> change, CancellationToken ct)
    {
        var next = await _database
            .WriteAsync(
                transaction =>
                {
                    var json = Parse(transaction.GetState(Key));
                    var before = new State(json);
                    change(json);
                    json["Etag"] = before.ETag + 1;
                    transaction.SetState(Key, JsonSerializer.SerializeToUtf8Bytes(json));
                    return new State(json);
                },
                ct
            )
            .ConfigureAwait(false);

        // Of two changes the later one counts, whichever arrives here first.
        lock (_gate)
        {
            if (_state is not { } known || known.ETag < next.ETag)
                _state = next;
        }
        return next.ETag;
    }

    private State Current
    {
        get
        {
            if (_state is { } known)
                return known;
            using var snapshot = _database.OpenSnapshot("record");
            var read = new State(Parse(snapshot.GetState(Key)));
            lock (_gate)
                return _state ??= read;
        }
    }

    private static JsonObject Parse(byte[]? text) =>
        text is { Length: > 0 } && JsonNode.Parse(text) is JsonObject json ? json : [];

    private sealed class State(JsonObject json)
    {
        public JsonObject Json { get; } = json;

        public long ETag { get; } =
            json["Etag"] is JsonValue etag && etag.TryGetValue(out long number) && number > 0 ? number : 1;

        public bool IsDisabled { get; } =
            json["Disabled"] is JsonValue disabled && disabled.TryGetValue(out bool yes) && yes;

        public string LockMode { get; } =
            json[nameof(LockMode)] is JsonValue mode && mode.TryGetValue(out string? text) ? text : "Unlock";

        public char IdSeparator { get; } =
            json["Client"] is JsonObject settings
            && settings["IdentityPartsSeparator"] is JsonValue value
            && value.TryGetValue(out string? separator)
            && separator.Length == 1
                ? separator[0]
                : '/';

        public long ClientETag { get; } =
            json["Client"] is JsonObject client && client["Etag"] is JsonValue etag && etag.TryGetValue(out long number)
                ? number
                : 0;
    }
}
