using System.Diagnostics;
using Actors;
using Akka.Actor;
using Microsoft.Extensions.Logging;
using Pipeline.Hosting;
using Pipeline.Runner.Logging;
using Pipeline.Worker.Terminal;
using Pipeline.Yaml;

const int Deposits = 200;
var kills = args.Contains("--kill");

// ${RABBITMQ_URI} is the environment's.
var variables = EnvironmentVariables.Instance.Names.ToDictionary(
    n => n,
    n => Environment.GetEnvironmentVariable(n) ?? ""
);
variables["TARGET"] = args.Contains("--rabbitmq") ? "rabbit" : "files";

try
{
    await using var worker = await PipelineWorker.OpenAsync(
        new WorkerOptions
        {
            ConfigurationFile = "pipeline.yaml",
            Variables = new FixedVariables(variables),
            Loggers = WorkerLogging.To(Console.Error, LogLevel.Warning),
        }
    );
    Console.WriteLine($"recovered: {await TotalAsync()}");
    var tasks = kills ? worker.RunAsync(CancellationToken.None) : Task.CompletedTask;
    for (var i = 1; i <= Deposits; i++)
    {
        await Task.WhenAll(
            Bank.Running.Select(account => account.Ask<Balance>(new Deposit(i), TimeSpan.FromSeconds(30)))
        );
        if (kills && i == Deposits / 2)
        {
            Console.WriteLine($"killed at:  {await TotalAsync()}");
            Process.GetCurrentProcess().Kill();
        }
    }

    await tasks;
    Console.WriteLine($"deposited: {await TotalAsync()}");

    // Sends the remaining changes, including those that killed runs left behind.
    using var stop = new CancellationTokenSource();
    var sending = worker.RunAsync(stop.Token);
    while (worker.GetTasks().Any(t => t.Position < worker.Database.LastPosition && !t.IsFailed))
        await Task.Delay(20);
    await stop.CancelAsync();
    await sending;
    var summary = worker.Summarize();
    SummaryTable.Write(summary, Console.Out, isTerminal: !Console.IsOutputRedirected);
    return summary.Tasks.Any(t => t.IsFailed) ? 1 : 0;
}
catch (Exception e)
{
    Console.Error.WriteLine($"actors: {e.Message}");
    return 1;
}

static async Task<string> TotalAsync()
{
    var balances = await Task.WhenAll(
        Bank.Running.Select(account => account.Ask<Balance>(new GetBalance(), TimeSpan.FromSeconds(30)))
    );
    return $"{balances.Sum(b => b.Deposits)} deposits of {Bank.Accounts} accounts, {balances.Sum(b => b.Cents)} cents";
}
