using System.Text;
using Pipeline.Configuration;
using Pipeline.Database;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.CrashTests.Scripts;

/// <summary>
/// The child that dies while the script of a task or the filter of a subscription runs. Its database has one document,
/// which the script cannot parse.
/// </summary>
internal static class ScriptedChild
{
    public const string Task = "t";
    public const string Subscription = "s";

    public static async Task<int> RunAsync(string folder, string what)
    {
        await using var database = Open(folder);
        await database.PutAsync("users/1", """{"A":1,"@metadata":{"@collection":"Users"}}"""u8.ToArray());
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
            new SubscriptionDefinition { Name = Subscription, Filter = "int.Parse(id) > 0" }
        );
        if (subscriptions.GetStatus()[0].Error is not null)
            return 1;
        await System.Threading.Tasks.Task.Delay(Timeout.Infinite);
        return 0;
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
                  try { send("numbers", int.Parse(id)); } catch (FormatException) { send("texts", id); }
            """,
            Encoding.UTF8
        );
        return PipelineConfiguration.Load(path, EnvironmentVariables.Instance).CreatePlan();
    }
}
