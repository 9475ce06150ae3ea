using System.Text.Json;
using Pipeline.Database;

namespace Pipeline.Hosting.Cluster;

/// <summary>
/// The last changes of leader, kept in the replicated database itself. Each leader records its own election, and every
/// node that reads the log knows them, even after a restart. Thread-safe.
/// </summary>
internal sealed class ElectionHistory(DocumentDatabase database)
{
    private const string StateKey = "cluster/elections";
    private const int MaxElections = 100;
    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web);

    private volatile Election? _found;

    /// <summary>
    /// Finds the election of an epoch; null if it is not known. Repeated calls for the same epoch are cheap.
    /// </summary>
    public Election? Find(long epoch)
    {
        // An entry never changes once it exists.
        if (_found is { } found && found.Epoch == epoch)
            return found;
        return _found = Read().LastOrDefault(e => e.Epoch == epoch);
    }

    /// <summary>The elections, oldest first.</summary>
    public IReadOnlyList<Election> Read()
    {
        using var snapshot = database.OpenSnapshot("cluster");
        return Parse(snapshot.GetState(StateKey));
    }

    /// <summary>
    /// Records an election. An epoch that is recorded already keeps its entry. Only the leader can do this.
    /// </summary>
    public Task AddAsync(Election election, CancellationToken ct) =>
        database.WriteAsync(
            transaction =>
            {
                var elections = Parse(transaction.GetState(StateKey));
                if (elections.Count > 0 && elections[^1].Epoch >= election.Epoch)
                    return;
                elections.Add(election);
                elections.RemoveRange(0, Math.Max(0, elections.Count - MaxElections));
                transaction.SetState(StateKey, JsonSerializer.SerializeToUtf8Bytes(elections, Json));
            },
            ct
        );

    private static List<Election> Parse(byte[]? state) =>
        state is null ? [] : JsonSerializer.Deserialize<List<Election>>(state, Json) ?? [];
}

/// <summary>A change of leader.</summary>
/// <param name="Epoch">Its number.</param>
/// <param name="Leader">The node that has led since.</param>
/// <param name="Time">When it began to lead, by its own clock.</param>
internal sealed record Election(long Epoch, string Leader, DateTimeOffset Time);
