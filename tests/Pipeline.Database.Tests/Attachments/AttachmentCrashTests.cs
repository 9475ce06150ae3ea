using System.Text;
using Pipeline.Documents;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Attachments;

/// <summary>
/// Random puts, replacements, copies and deletions of documents and attachments against a model.
/// After a crash anywhere they match a commit, and no content is orphaned.
/// </summary>
public sealed class AttachmentCrashTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task The_attachments_after_a_crash_are_those_of_a_commit(int seed)
    {
        var random = new Random(seed);
        using var disk = new SimulatedDisk();
        var states = new Dictionary<long, string> { [0] = "" };
        var model = new SortedDictionary<string, SortedDictionary<string, int>>(StringComparer.Ordinal);
        await using (var db = Open(disk))
        {
            for (var step = 0; step < 80; step++)
            {
                await StepAsync(db, random, model);
                var expected = string.Join(
                    ';',
                    model.Select(d => $"{d.Key}({string.Join(',', d.Value.Select(a => $"{a.Key}={a.Value}"))})")
                );
                states[db.LastPosition] = expected;
                Assert.True(expected == State(db), $"seed {seed}, step {step}:\n{State(db)}\ninstead of\n{expected}");
            }
        }

        await CrashedDatabase.AssertAtCommitAsync(disk, seed, random, 30, Open, State, states);
    }

    private static DocumentDatabase Open(SimulatedDisk disk) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Path = "/db",
                Files = disk,
                TimeProvider = new ManualTimeProvider(),
            }
        );

    private static async Task StepAsync(
        DocumentDatabase db,
        Random random,
        SortedDictionary<string, SortedDictionary<string, int>> model
    )
    {
        string id = $"d{random.Next(4)}",
            name = $"f{random.Next(3)}";
        var exists = model.TryGetValue(id, out var files);
        var what = random.Next(10);
        if (!exists || what == 0)
        {
            await db.PutAsync(id, "{}"u8.ToArray());
            if (!exists)
                model[id] = new(StringComparer.Ordinal);
        }
        else if (what == 1)
        {
            await db.DeleteAsync(id);
            model.Remove(id);
        }
        else if (what is 2 or 3)
        {
            await db.Attachments.DeleteAsync(id, name);
            files!.Remove(name);
        }
        else if (what == 4 && files!.Count > 0)
        {
            (var from, var content) = files.ElementAt(random.Next(files.Count));
            var to = model.Keys.ElementAt(random.Next(model.Count));
            await db.WriteAsync(t => t.CopyAttachment(id, from, to, name));
            model[to][name] = content;
        }
        else
        {
            // Few contents, so that they are shared; some of more than one part.
            var content = random.Next(5);
            await db.Attachments.PutAsync(id, name, new MemoryStream(Content(content)));
            files![name] = content;
        }
    }

    private static byte[] Content(int number) =>
        [.. Encoding.UTF8.GetBytes($"{number}:"), .. new byte[number < 3 ? number * 100 : number * 300_000]];

    private static string State(DocumentDatabase db)
    {
        using var snapshot = db.OpenSnapshot();
        return string.Join(
            ';',
            snapshot
                .GetInIdOrder()
                .Select(d =>
                    $"{d.Id}({string.Join(',', snapshot.GetAttachments(d.Id).Select(a => $"{a.Name}={Number(snapshot, a)}"))})"
                )
        );
    }

    private static int Number(DatabaseSnapshot snapshot, Attachment attachment)
    {
        using var stream = snapshot.OpenAttachment(attachment);
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        var bytes = copy.ToArray();
        var number = bytes[0] - '0';
        return bytes.AsSpan().SequenceEqual(Content(number)) ? number : -1;
    }
}
