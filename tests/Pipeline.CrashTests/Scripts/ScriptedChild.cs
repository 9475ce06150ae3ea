using System.Text;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// The child that dies while the script of a task, the filter of a subscription or the map of an index runs: at the
/// document whose text is no number.
/// </summary>
internal static class ScriptedChild
{
    // The deadly document is neither the first nor the last.
    private const int Many = 60,
        DeadlyOfMany = 40;

    public const string Task = "t";
    public const string Subscription = "s";

    public static async Task<int> RunAsync(string folder, string what)
    {
        await using var database = await OpenFilledAsync(folder);
        AppDomain.CurrentDomain.FirstChanceException += (_, e) =>
        {
            if (e.Exception is FormatException)
                Environment.FailFast("as a stack overflow would end it");
        };
        if (what == "task")
        {
            await using var host = new EtlHost(PlanOf(folder), database);
            host.Start();
            return await host.DrainAsync(database.LastPosition, CancellationToken.None) ? 0 : 1;
        }

        await using var subscriptions = SubscriptionHost.Open(database);
        await subscriptions.EnsureAsync(
            new SubscriptionDefinition { Name = Subscription, Filter = "int.Parse((string)doc.A) > 0" }
        );
        if (subscriptions.GetStatus()[0].Error is not null)
            return 1;
        await System.Threading.Tasks.Task.Delay(Timeout.Infinite);
        return 0;
    }

    /// <summary>Opens a folder's database, which gets a deadly document if it is empty.</summary>
    public static async Task<DocumentDatabase> OpenFilledAsync(string folder)
    {
        var database = Open(folder);
        if (database.LastPosition == 0)
            await PutAsync(database, 1, "x");
        return database;
    }

    /// <summary>Writes many documents into a folder's database. One of them is deadly.</summary>
    public static async Task FillAsync(string folder)
    {
        await using var database = Open(folder);
        for (var i = 1; i <= Many; i++)
            await PutAsync(database, i, i == DeadlyOfMany ? "x" : "1");
    }

    public static DocumentDatabase Open(string folder) =>
        DocumentDatabase.Open(new DatabaseOptions { Path = Path.Combine(folder, "data") });

    public static EtlPlan PlanOf(string folder)
    {
        var path = Path.Combine(folder, "pipeline.yaml");
        File.WriteAllText(
            path,
            $$"""
            version: 1
            database: { name: shop, path: ./data }
            connections: { files: { files: { directory: ./out } } }
            etl:
              - name: {{Task}}
                from: [Users]
                to: files
                transform: |
                  try { send("numbers", int.Parse((string)doc.A)); } catch (FormatException) { send("texts", id); }
            """,
            Encoding.UTF8
        );
        return PipelineConfiguration.Load(path, EnvironmentVariables.Instance).CreatePlan();
    }

    private static Task<PutResult> PutAsync(DocumentDatabase database, int number, string text) =>
        database.PutAsync(
            $"users/{number}",
            Encoding.UTF8.GetBytes($$$"""{"A":"{{{text}}}","@metadata":{"@collection":"Users"}}""")
        );
}
