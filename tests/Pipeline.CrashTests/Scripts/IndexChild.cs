using System.Runtime.CompilerServices;
using Pipeline.Database;
using Pipeline.Database.Indexes;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// The child that dies within a batch of an index: by a stack overflow, or killed by its parent while it stands there.
/// </summary>
internal static class IndexChild
{
    public const string Index = "ByA";
    public const string Standing = "within a batch";

    public static async Task<int> RunAsync(string folder, bool overflows)
    {
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions { Path = folder, TimeProvider = new DeadlyClock(overflows) }
        );
        await database.PutAsync("users/1", """{"A":1,"@metadata":{"@collection":"Users"}}"""u8.ToArray());
        await database.Indexes.PutAsync(
            new IndexDefinition { Name = Index, Maps = ["map('Users', u => ({ A: u.A }))"] }
        );
        await database.Indexes.WaitAsync(Index);
        return 0;
    }

    private sealed class DeadlyClock(bool overflows) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow()
        {
            if (!Environment.StackTrace.Contains("RunBatchAsync", StringComparison.Ordinal))
                return base.GetUtcNow();
            if (overflows)
                Fall(0);
            Console.WriteLine(Standing);
            Thread.Sleep(Timeout.Infinite);
            return default;
        }

        [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
        private static int Fall(int depth) => Fall(depth + 1) + 1;
    }
}
