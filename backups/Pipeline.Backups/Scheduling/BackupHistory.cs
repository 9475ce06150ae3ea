using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Database;

namespace Pipeline.Backups;

/// <summary>
/// The history of runs, in the database's private state. In a cluster it is replicated, so each node knows it.
/// Thread-safe.
/// </summary>
internal sealed class BackupHistory(DocumentDatabase database)
{
    public const string StateKey = "backups/history";
    private const string BegunKey = "backups/begun";
    private const int MaxRuns = 200;
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };
    private volatile Parsed _last = new([], []);

    /// <summary>The runs, oldest first.</summary>
    public IReadOnlyList<BackupRun> Read()
    {
        byte[]? state;
        using (var snapshot = database.OpenSnapshot("backups"))
            state = snapshot.GetState(StateKey);
        var last = _last;
        if (!last.State.AsSpan().SequenceEqual(state))
            _last = last = new Parsed(state ?? [], Parse(state));
        return last.Runs;
    }

    /// <summary>When the last run of each backup began, of those that were noted.</summary>
    public IReadOnlyDictionary<string, DateTimeOffset> ReadBegun()
    {
        using var snapshot = database.OpenSnapshot("backups");
        return ParseBegun(snapshot.GetState(BegunKey));
    }

    /// <summary>Notes that a run begins, for the other nodes of a cluster.</summary>
    public Task BeginAsync(string name, DateTimeOffset at, CancellationToken ct) =>
        database.WriteAsync(
            transaction =>
            {
                var begun = ParseBegun(transaction.GetState(BegunKey));
                begun[name] = at;
                transaction.SetState(BegunKey, JsonSerializer.SerializeToUtf8Bytes(begun, Json));
            },
            ct
        );

    /// <summary>
    /// Adds a run. The last run of each name and job is always kept, so that missed runs can be detected.
    /// </summary>
    public Task AddAsync(BackupRun run, CancellationToken ct) =>
        database.WriteAsync(
            transaction =>
            {
                var runs = Parse(transaction.GetState(StateKey));
                runs.Add(run);
                var last = runs.GroupBy(r => (r.Name, r.Job, r.Ok)).Select(g => g.Last()).ToHashSet();
                var surplus = runs.Count - MaxRuns;
                runs.RemoveAll(r => surplus > 0 && !last.Contains(r) && surplus-- > 0);
                transaction.SetState(StateKey, JsonSerializer.SerializeToUtf8Bytes(runs, Json));
            },
            ct
        );

    private static List<BackupRun> Parse(byte[]? state) =>
        state is null or [] ? [] : JsonSerializer.Deserialize<List<BackupRun>>(state, Json) ?? [];

    private static Dictionary<string, DateTimeOffset> ParseBegun(byte[]? state) =>
        state is null ? [] : JsonSerializer.Deserialize<Dictionary<string, DateTimeOffset>>(state, Json) ?? [];

    /// <summary>The runs with the bytes that they were read from, which seldom change.</summary>
    private sealed record Parsed(byte[] State, IReadOnlyList<BackupRun> Runs);
}
