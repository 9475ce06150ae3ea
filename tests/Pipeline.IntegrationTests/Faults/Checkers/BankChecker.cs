namespace Pipeline.IntegrationTests.Faults.Checkers;

/// <summary>A read of all accounts in one snapshot.</summary>
/// <param name="By">Who read, where and when.</param>
/// <param name="Balances">The balance of each account.</param>
internal sealed record BankRead(string By, IReadOnlyList<long> Balances);

/// <summary>Transfers move money between accounts, so every snapshot has the same sum.</summary>
internal static class BankChecker
{
    /// <summary>What is wrong; empty if nothing is.</summary>
    public static IReadOnlyList<string> Check(int accounts, long sum, IEnumerable<BankRead> reads) =>
        [
            .. reads
                .Where(r => r.Balances.Count != accounts || r.Balances.Sum() != sum)
                .Select(r =>
                    $"bank: {r.By} saw {r.Balances.Count} of {accounts} accounts with {r.Balances.Sum()}, not {sum}: {string.Join(", ", r.Balances)}"
                ),
        ];
}
