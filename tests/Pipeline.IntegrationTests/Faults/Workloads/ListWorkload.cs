using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>Appends values to lists by patches, and reads the lists.</summary>
internal sealed class ListWorkload(string name, FaultRun run, int seed) : Workload(name, run, seed)
{
    public override async Task ReadLastAsync(int node)
    {
        for (var list = 0; list <= History.CurrentList; list++)
            await ReadAsync(node, list);
    }

    protected override Task StepAsync(int node) =>
        Random.Next(3) == 0 ? ReadAsync(node, History.CurrentList) : AppendAsync(node, History.NextList());

    private async Task AppendAsync(int node, int list)
    {
        var (value, began) = (History.NextValue(), Now);
        var body = new
        {
            Patch = new { Script = "this.Items.push(args.value)", Values = new { value } },
            PatchIfMissing = new
            {
                Script = "this.Items = [args.value]; this['@metadata'] = { '@collection': 'Lists' };",
                Values = new { value },
            },
        };
        var answer = await SendAsync(node, HttpMethod.Patch, $"{Documents}?id=lists/{list}", body);
        History.Add(
            list,
            new ListCall(began, Now, Name, NodeName(node), value, ReadModified(answer), OutcomeOf(answer))
        );
    }

    private async Task ReadAsync(int node, int list)
    {
        var began = Now;
        var answer = await SendAsync(node, HttpMethod.Get, $"{Documents}?id=lists/{list}");
        if (answer.IsDone || answer.Status == 404)
        {
            History.Add(
                list,
                new ListCall(
                    began,
                    Now,
                    Name,
                    NodeName(node),
                    null,
                    answer.IsDone ? Items(answer.Json!.Value.GetProperty("Results")[0]) : [],
                    CallOutcome.Done
                )
            );
        }
    }

    private static List<long>? ReadModified(FaultAnswer answer) =>
        answer is { IsDone: true, Json: { } json } ? Items(json.GetProperty("ModifiedDocument")) : null;

    private static List<long> Items(JsonElement document) =>
        document.ValueKind == JsonValueKind.Object
            ? [.. document.GetProperty("Items").EnumerateArray().Select(i => i.GetInt64())]
            : [];
}
