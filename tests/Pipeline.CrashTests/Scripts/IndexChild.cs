using System.Runtime.CompilerServices;
using Pipeline.Database.Indexes;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// The child that dies while an index maps the document whose text is no number: by a stack overflow, or killed by its
/// parent while it stands there.
/// </summary>
internal static class IndexChild
{
    public const string Index = "ByA";
    public const string Standing = "within a batch";

    public static async Task<int> RunAsync(string folder, bool overflows)
    {
        await using var database = await ScriptedChild.OpenFilledAsync(folder);
        AppDomain.CurrentDomain.FirstChanceException += (_, e) =>
        {
            if (e.Exception is not FormatException)
                return;
            if (overflows)
                Fall(0);
            Console.WriteLine(Standing);
            Thread.Sleep(Timeout.Infinite);
        };
        await database.Indexes.PutAsync(
            new IndexDefinition
            {
                Name = Index,
                Maps = ["from u in docs.Users select new { A = int.Parse((string)u.A) }"],
            }
        );
        return database.Indexes.Get(Index)!.State != IndexState.Disabled && await database.Indexes.WaitAsync(Index)
            ? 0
            : 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.NoOptimization)]
    private static int Fall(int depth) => Fall(depth + 1) + 1;
}
