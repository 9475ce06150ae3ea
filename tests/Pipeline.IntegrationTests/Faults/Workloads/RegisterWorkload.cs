using System.Globalization;
using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>
/// Compares and sets documents by change vector, and reads them: at the leader one by one, at followers all in one
/// snapshot.
/// </summary>
internal sealed class RegisterWorkload(string name, FaultRun run, int seed) : Workload(name, run, seed)
{
    private static readonly string All =
        Documents
        + "?"
        + string.Join('&', Enumerable.Range(0, FaultHistory.Registers).Select(i => $"id=registers/{i}"));
    private readonly (long Value, string ChangeVector)?[] _known = new (long, string)?[FaultHistory.Registers];
    private (int Register, long Value, string Position)? _own;

    public override async Task PrepareAsync(int leader)
    {
        for (var i = 0; i < FaultHistory.Registers; i++)
        {
            var answer = await SendAsync(
                leader,
                HttpMethod.Put,
                $"{Documents}?id=registers/{i}",
                Document("Registers", "Value", 0)
            );
            if (!answer.IsDone)
                throw new InvalidOperationException(answer.Text);
        }
    }

    public override async Task ReadLastAsync(int node)
    {
        for (var i = 0; i < FaultHistory.Registers; i++)
            await ReadAsync(node, i);
        await ReadAtFollowerAsync(node, waits: false);
    }

    protected override Task StepAsync(int node)
    {
        var register = Random.Next(FaultHistory.Registers);
        return Random.Next(100) switch
        {
            < 20 => ReadAtFollowerAsync(node, waits: false),
            < 30 => ReadAtFollowerAsync(node, waits: true),
            < 65 when _known[register] is not null => WriteAsync(node, register),
            _ => ReadAsync(node, register),
        };
    }

    private async Task ReadAsync(int node, int register)
    {
        var began = Now;
        var answer = await SendAsync(
            node,
            HttpMethod.Get,
            $"{Documents}?id=registers/{register}",
            null,
            Run.Plant == FaultPlant.ReadsWithoutLease ? [AtFollower] : []
        );
        // Without a lease a copy is read that may not have the document yet.
        if (!answer.IsDone || answer.Json!.Value.GetProperty("Results")[0].ValueKind != JsonValueKind.Object)
            return;
        var (value, vector) = Parse(answer.Json!.Value.GetProperty("Results")[0]);
        _known[register] = (value, vector);
        History.AddDocument(
            register,
            new RegisterCall(began, Now, Name, NodeName(node), null, value, CallOutcome.Done)
        );
    }

    private async Task WriteAsync(int node, int register)
    {
        var (expected, vector) = _known[register]!.Value;
        var (value, began) = (History.NextValue(), Now);
        var answer = await SendAsync(
            node,
            HttpMethod.Put,
            $"{Documents}?id=registers/{register}",
            Document("Registers", "Value", value),
            ("If-Match", $"\"{vector}\"")
        );
        History.AddDocument(
            register,
            new RegisterCall(began, Now, Name, NodeName(node), expected, value, OutcomeOf(answer))
        );
        _known[register] = null;
        if (!answer.IsDone)
            return;
        var written = answer.Json!.Value.GetProperty("ChangeVector").GetString()!;
        _known[register] = (value, written);
        _own = (register, value, PositionOf(written));
    }

    private async Task ReadAtFollowerAsync(int node, bool waits)
    {
        var own = waits ? _own : null;
        var (began, start) = (Now, Run.Cluster.Nodes[node].Starts);
        var answer = own is { } wanted
            ? await SendAsync(
                node,
                HttpMethod.Get,
                All,
                null,
                AtFollower,
                ("Pipeline-Wait-For-Position", wanted.Position)
            )
            : await SendAsync(node, HttpMethod.Get, All, null, AtFollower);
        // A node without a copy yet answers that there is none.
        if (!answer.IsDone || start != Run.Cluster.Nodes[node].Starts)
            return;
        var results = answer.Json!.Value.GetProperty("Results").EnumerateArray().ToList();
        History.Add(
            new FollowerRead(
                began,
                Name,
                NodeName(node),
                start,
                [.. results.Select(r => r.ValueKind == JsonValueKind.Object ? r.GetProperty("Value").GetInt64() : -1)],
                own is { } waited ? (waited.Register, waited.Value) : null
            )
        );
    }

    private static (long Value, string ChangeVector) Parse(JsonElement document) =>
        (
            document.GetProperty("Value").GetInt64(),
            document.GetProperty("@metadata").GetProperty("@change-vector").GetString()!
        );

    // A:4711-DATABASE
    private static string PositionOf(string changeVector) =>
        long.Parse(changeVector.Split(':')[1].Split('-')[0], CultureInfo.InvariantCulture)
            .ToString(CultureInfo.InvariantCulture);
}
