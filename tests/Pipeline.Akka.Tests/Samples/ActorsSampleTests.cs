using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Services;
using RabbitMQ.Client;
using Xunit;

namespace Pipeline.Akka.Tests.Samples;

/// <summary>
/// Runs samples/Actors with RabbitMQ. The sample kills itself halfway; the next run recovers its accounts and sends the
/// messages that were not sent.
/// </summary>
public sealed class ActorsSampleTests
{
    private const string Queue = "account-events";

    [SkippableFact]
    public async Task Events_of_killed_accounts_are_all_in_RabbitMQ()
    {
        await using var service = new RabbitMqService();
        var broker = await service.UseAsync();
        var folder = TestFolders.Make();
        File.Copy(
            Path.Combine(RepositoryTree.Root, "samples", "Actors", "pipeline.yaml"),
            Path.Combine(folder, "pipeline.yaml")
        );

        (var killed, var first) = await RunAsync(folder, broker.Endpoint, "--rabbitmq", "--kill");
        Assert.Equal(128 + 9, killed);
        var acknowledged = Deposits(first, "killed at:");
        (var ended, var second) = await RunAsync(folder, broker.Endpoint, "--rabbitmq");
        Assert.True(ended == 0, second);
        long recovered = Deposits(second, "recovered:"),
            deposited = Deposits(second, "deposited:");
        Assert.Equal((1_000, acknowledged + 2_000), (acknowledged, deposited));
        Assert.Equal(acknowledged, recovered);

        // Repeats have the id of the message that they repeat.
        var sent = await ReadAsync(broker.Endpoint);
        Assert.Equal(deposited, sent.Values.Distinct().Count());
        Assert.Equal(sent.Count, sent.Values.Distinct().Count());
        Assert.All(sent.Values.GroupBy(m => m.Account), a => Assert.Equal(a.Count(), a.Max(m => m.Number)));
    }

    private static long Deposits(string output, string line) =>
        long.Parse(
            output
                .Split('\n')
                .Single(l => l.StartsWith(line, StringComparison.Ordinal))[line.Length..]
                .Trim()
                .Split(' ')[0],
            CultureInfo.InvariantCulture
        );

    private static async Task<(int ExitCode, string Output)> RunAsync(
        string folder,
        string rabbit,
        params string[] arguments
    )
    {
        using var process = Process.Start(
            new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Actors.dll"), .. arguments])
            {
                WorkingDirectory = folder,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                Environment = { ["RABBITMQ_URI"] = rabbit },
            }
        )!;
        using var timeout = new CancellationTokenSource(TimeSpan.FromMinutes(2));
        var error = process.StandardError.ReadToEndAsync(timeout.Token);
        var output = await process.StandardOutput.ReadToEndAsync(timeout.Token);
        await process.WaitForExitAsync(timeout.Token);
        return (process.ExitCode, output + await error);
    }

    private static async Task<Dictionary<string, (string Account, long Number)>> ReadAsync(string endpoint)
    {
        await using var connection = await new ConnectionFactory { Uri = new Uri(endpoint) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        var found = new Dictionary<string, (string, long)>(StringComparer.Ordinal);
        while (await channel.BasicGetAsync(Queue, autoAck: true) is { } message)
        {
            using var body = JsonDocument.Parse(message.Body);
            found[message.BasicProperties.MessageId!] = (
                body.RootElement.GetProperty("Account").GetString()!,
                body.RootElement.GetProperty("Number").GetInt64()
            );
        }

        return found;
    }
}
