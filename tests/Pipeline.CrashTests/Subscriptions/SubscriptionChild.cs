using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Subscriptions;

namespace Pipeline.CrashTests.Subscriptions;

/// <summary>
/// The child process: three writers, and four workers that share a subscription and store the documents they saw
/// together with their acknowledgements. Reports deliveries, acknowledgements and refusals on standard output. Runs
/// until it is killed.
/// </summary>
internal static class SubscriptionChild
{
    public const string Name = "s";
    public const string Prefix = "items/";
    private const int Writers = 3;
    private const int Workers = 4;
    private const int Keys = 30;

    public static DocumentDatabase Open(string folder) => DocumentDatabase.Open(new DatabaseOptions { Path = folder });

    /// <summary>Whether a document is written only once, so that each of its changes is delivered.</summary>
    public static bool IsWrittenOnce(string id) => id.Contains("/once/", StringComparison.Ordinal);

    public static async Task<int> RunAsync(string folder, int seed)
    {
        await using var database = Open(folder);
        await using var host = SubscriptionHost.Open(database);
        await host.EnsureAsync(
            new SubscriptionDefinition
            {
                Name = Name,
                Collections = ["Items"],
                MaxAttempts = 1_000_000,
                RetryDelay = TimeSpan.FromMilliseconds(5),
                MaxRetryDelay = TimeSpan.FromMilliseconds(50),
            }
        );
        var output = Console.Out;
        var writers = Enumerable
            .Range(0, Writers)
            .Select(i =>
                Task.Run(async () =>
                {
                    var random = new Random((seed * 100) + i);
                    while (true)
                        await WriteAsync(database, random, seed, i);
                })
            );
        var workers = Enumerable
            .Range(0, Workers)
            .Select(i =>
                Task.Run(async () =>
                {
                    var random = new Random((seed * 100) + 50 + i);
                    while (true)
                        await WorkAsync(host, random, output);
                })
            );
        await await Task.WhenAny([.. writers, .. workers]);
        return 1;
    }

    private static int _number;

    private static async Task WriteAsync(DocumentDatabase database, Random random, int seed, int writer)
    {
        var batch = new DocumentBatch();
        for (var i = random.Next(1, 12); i > 0; i--)
        {
            var n = string.Create(CultureInfo.InvariantCulture, $"{seed:D6}{Interlocked.Increment(ref _number):D9}");
            var id =
                random.Next(2) == 0
                    ? $"{Prefix}once/{n}"
                    : string.Create(CultureInfo.InvariantCulture, $"{Prefix}{writer}/{random.Next(Keys)}");
            batch.Put(
                id,
                Encoding.UTF8.GetBytes(
                    $$$"""{"N":{{{long.Parse(n, CultureInfo.InvariantCulture)}}},"@metadata":{"@collection":"Items"}}"""
                )
            );
        }

        await database.ExecuteAsync(batch);
    }

    /// <summary>One worker's life: it ends by leaving with a batch in hand, or by losing its lease.</summary>
    private static async Task WorkAsync(SubscriptionHost host, Random random, TextWriter output)
    {
        var options = new SubscriptionWorkerOptions
        {
            Strategy = WorkerStrategy.Concurrent,
            MaxBatchCount = random.Next(1, 60),
            Lease = TimeSpan.FromMilliseconds(150),
        };
        await using var worker = await host.ConnectAsync(Name, options);
        try
        {
            while (true)
            {
                var batch = (await worker.NextAsync())!;
                Tell(output, Line("given", batch));
                var fate = random.Next(100);
                if (fate < 2)
                    return;
                if (fate < 4)
                    await Task.Delay(400);
                var rejected = new HashSet<string>(StringComparer.Ordinal);
                foreach (var item in batch)
                {
                    if (random.Next(50) != 0 && !rejected.Contains(item.Id))
                        continue;
                    rejected.Add(item.Id);
                    batch.Reject(item, "no");
                }

                var done = Line("acknowledged", batch, rejected);
                await batch.AcknowledgeAsync(Effect(batch, rejected));
                Tell(output, done);
                if (fate < 10)
                    await AcknowledgeAgainAsync(batch);
            }
        }
        catch (SubscriptionException e) when (e.Problem == SubscriptionProblem.LeaseLost)
        {
            Tell(output, "refused;");
        }
    }

    private static async Task AcknowledgeAgainAsync(SubscriptionBatch batch)
    {
        try
        {
            await batch.AcknowledgeAsync(transaction => transaction.Put("broken/twice", "{}"u8));
        }
        catch (InvalidOperationException)
        {
            return;
        }

        throw new InvalidDataException("a batch was acknowledged twice");
    }

    public static string Line(string word, SubscriptionBatch batch, HashSet<string>? without = null)
    {
        var line = new StringBuilder(word);
        foreach (var item in batch)
        {
            if (without?.Contains(item.Id) != true)
                line.Append(' ').Append(item.Position);
        }

        return line.Append(';').ToString();
    }

    /// <summary>
    /// Stores, for each document, the last version seen and how often it was seen. Records changes that are repeated or
    /// come too early.
    /// </summary>
    public static Action<DocumentTransaction> Effect(SubscriptionBatch batch, HashSet<string> without)
    {
        var changes = batch
            .Where(i => !without.Contains(i.Id))
            .Select(i => (i.Id, i.Position, N: i.Body.Root["N"].ToString()))
            .ToArray();
        return transaction =>
        {
            foreach (var (id, position, n) in changes)
            {
                var count = 0L;
                if (transaction.TryGet("seen/" + id, out var seen))
                {
                    count = seen.Body.Root["Count"].GetInt64();
                    if (seen.Body.Root["Position"].GetInt64() >= position)
                        transaction.Put("broken/" + id, "{}"u8);
                }

                transaction.Put(
                    "seen/" + id,
                    Encoding.UTF8.GetBytes(
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $$$"""{"Position":{{{position}}},"N":{{{n}}},"Count":{{{count + 1}}},"@metadata":{"@collection":"Seen"}}"""
                        )
                    )
                );
            }
        };
    }

    private static void Tell(TextWriter output, string line)
    {
        lock (output)
        {
            output.WriteLine(line);
            output.Flush();
        }
    }
}
