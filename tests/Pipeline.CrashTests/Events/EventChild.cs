using System.Globalization;
using System.Text;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Documents.Events;

namespace Pipeline.CrashTests.Events;

/// <summary>
/// The child process. Each writer appends to its streams, one event or several at once, deletes some and saves
/// snapshots; a projection counts the events. Reports durable writes on standard output. Runs until it is killed.
/// </summary>
internal static class EventChild
{
    public const int Streams = 40;
    private const int Writers = 8;

    public static DocumentDatabase Open(string folder) => DocumentDatabase.Open(new DatabaseOptions { Path = folder });

    public static string Payload(string stream, long sequence) =>
        string.Create(CultureInfo.InvariantCulture, $"{stream}:{sequence}");

    /// <summary>
    /// Stores each stream's last number seen, and records events that are repeated, out of order or damaged.
    /// </summary>
    public static EventProjection Projection(DocumentDatabase database) =>
        new(
            database,
            "seen",
            (transaction, item) =>
            {
                var last = transaction.TryGet("seen/" + item.StreamId, out var seen)
                    ? seen.Body.Root["Last"].GetInt64()
                    : 0;
                if (
                    item.SequenceNumber != last + 1
                    || Encoding.UTF8.GetString(item.Payload.Span) != Payload(item.StreamId, item.SequenceNumber)
                )
                {
                    transaction.Put(string.Create(CultureInfo.InvariantCulture, $"broken/{item.Position}"), "{}"u8);
                }

                transaction.Put(
                    "seen/" + item.StreamId,
                    Encoding.UTF8.GetBytes(
                        string.Create(CultureInfo.InvariantCulture, $$"""{"Last":{{item.SequenceNumber}}}""")
                    )
                );
            }
        );

    public static async Task<int> RunAsync(string folder, int seed)
    {
        await using var database = Open(folder);
        var output = Console.Out;
        var writers = Enumerable
            .Range(0, Writers)
            .Select(i =>
                Task.Run(async () =>
                {
                    var random = new Random((seed * 100) + i);
                    while (true)
                        await WriteAsync(database, random, i, output);
                })
            );
        await await Task.WhenAny([.. writers, Task.Run(() => Projection(database).RunAsync())]);
        return 1;
    }

    private static async Task WriteAsync(DocumentDatabase database, Random random, int writer, TextWriter output)
    {
        var stream = string.Create(
            CultureInfo.InvariantCulture,
            $"s{(random.Next(Streams / Writers) * Writers) + writer}"
        );
        var highest = await database.Events.GetHighestSequenceAsync(stream);
        var events = new List<EventData>();
        for (var n = random.Next(4) == 0 ? random.Next(2, 12) : 1; n > 0; n--)
        {
            var sequence = highest + events.Count + 1;
            events.Add(
                new EventData
                {
                    SequenceNumber = sequence,
                    Payload = Encoding.UTF8.GetBytes(Payload(stream, sequence)),
                    Tags = sequence % 3 == 0 ? ["third"] : [],
                }
            );
        }

        var result = await database.Events.AppendAsync(stream, events, expectedSequence: highest);
        Tell(
            output,
            string.Create(
                CultureInfo.InvariantCulture,
                $"appended {stream} {result.LastSequenceNumber} {result.LastPosition};"
            )
        );
        if (random.Next(30) != 0)
            return;
        await database.WriteAsync(t =>
            t.SaveSnapshot(
                stream,
                new StreamSnapshot
                {
                    SequenceNumber = highest,
                    Timestamp = database.UtcNow,
                    Payload = Encoding.UTF8.GetBytes(Payload(stream, highest)),
                },
                new SnapshotRetention { Keep = 2 }
            )
        );
        Tell(output, string.Create(CultureInfo.InvariantCulture, $"saved {stream} {highest};"));
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
