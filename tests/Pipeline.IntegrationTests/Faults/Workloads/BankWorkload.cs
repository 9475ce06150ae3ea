using System.Text.Json;
using Pipeline.IntegrationTests.Faults.Checkers;

namespace Pipeline.IntegrationTests.Faults.Workloads;

/// <summary>
/// Moves money between two accounts in one batch, and reads all accounts in one snapshot: at the leader, at a follower,
/// and by a query.
/// </summary>
internal sealed class BankWorkload(string name, FaultRun run, int seed) : Workload(name, run, seed)
{
    private static readonly string All =
        Documents + "?" + string.Join('&', Enumerable.Range(0, FaultHistory.Accounts).Select(i => $"id=accounts/{i}"));

    public override async Task PrepareAsync(int leader)
    {
        var answer = await SendAsync(
            leader,
            HttpMethod.Post,
            "/databases/shop/bulk_docs",
            new
            {
                Commands = Enumerable
                    .Range(0, FaultHistory.Accounts)
                    .Select(i => Put($"accounts/{i}", null, FaultHistory.Balance)),
            }
        );
        if (!answer.IsDone)
            throw new InvalidOperationException(answer.Text);
    }

    public override async Task ReadLastAsync(int node)
    {
        await ReadAsync(node);
        await ReadAsync(node, AtFollower);
        await QueryAsync(node);
    }

    protected override Task StepAsync(int node) =>
        Random.Next(100) switch
        {
            < 15 => ReadAsync(node),
            < 30 => ReadAsync(node, AtFollower),
            < 40 => QueryAsync(node),
            < 50 => QueryAsync(node, AtFollower),
            _ => TransferAsync(node),
        };

    private async Task TransferAsync(int node)
    {
        var from = Random.Next(FaultHistory.Accounts);
        var to = (from + 1 + Random.Next(FaultHistory.Accounts - 1)) % FaultHistory.Accounts;
        var read = await SendAsync(node, HttpMethod.Get, $"{Documents}?id=accounts/{from}&id=accounts/{to}");
        if (!read.IsDone)
            return;
        var accounts = read.Json!.Value.GetProperty("Results");
        var amount = 1 + Random.Next(10);
        object[] commands =
        [
            Put($"accounts/{from}", accounts[0], Balance(accounts[0]) - amount),
            Put($"accounts/{to}", accounts[1], Balance(accounts[1]) + amount),
        ];
        foreach (var batch in Run.Plant == FaultPlant.BatchInParts ? commands.Chunk(1) : [commands])
        {
            var answer = await SendAsync(node, HttpMethod.Post, "/databases/shop/bulk_docs", new { Commands = batch });
            History.AddTransfer(answer.Outcome);
        }
    }

    private async Task ReadAsync(int node, params (string, string)[] headers)
    {
        var began = Now;
        var answer = await SendAsync(node, HttpMethod.Get, All, null, headers);
        Add($"{Name} at {NodeName(node)} {string.Join(' ', headers)} {began}..{Now}", answer);
    }

    private async Task QueryAsync(int node, params (string, string)[] headers)
    {
        var began = Now;
        var answer = await SendAsync(
            node,
            HttpMethod.Post,
            "/databases/shop/queries",
            new { Query = "from Accounts" },
            headers
        );
        Add($"{Name} at {NodeName(node)} by query {string.Join(' ', headers)} {began}..{Now}", answer);
    }

    private void Add(string by, FaultAnswer answer)
    {
        if (!answer.IsDone)
            return;
        var results = answer.Json!.Value.GetProperty("Results").EnumerateArray();
        History.Add(new BankRead(by, [.. results.Select(Balance)]));
    }

    private static long Balance(JsonElement account) =>
        account.ValueKind == JsonValueKind.Object ? account.GetProperty("Balance").GetInt64() : long.MinValue / 100;

    private static object Put(string id, JsonElement? former, long balance) =>
        new
        {
            Id = id,
            Type = "PUT",
            ChangeVector = former?.GetProperty("@metadata").GetProperty("@change-vector").GetString(),
            Document = Document("Accounts", "Balance", balance),
        };
}
