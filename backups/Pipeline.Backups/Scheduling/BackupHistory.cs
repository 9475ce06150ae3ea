using System.Text.Json;
using System.Text.Json.Serialization;
using Pipeline.Database;

namespace Pipeline.Backups;

/// <summary>The history of runs, in the database's private state. Thread-safe.</summary>
internal sealed class BackupHistory(DocumentDatabase database)
{
    public const string StateKey = "backups/history";
    private const int MostRuns = 200;
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    /// <summary>The runs, oldest first.</summary>
    public IReadOnlyList<BackupRun> Read()
    {
        using var snapshot = database.OpenSnapshot("backups");
        return Parse(snapshot.GetState(StateKey));
    }

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
                var surplus = runs.Count - MostRuns;
                runs.RemoveAll(r => surplus > 0 && !last.Contains(r) && surplus-- > 0);
                transaction.SetState(StateKey, JsonSerializer.SerializeToUtf8Bytes(runs, Json));
            },
            ct
        );

    private static List<BackupRun> Parse(byte[]? state) =>
        state is null ? [] : JsonSerializer.Deserialize<List<BackupRun>>(state, Json) ?? [];
}
