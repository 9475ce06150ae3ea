using System.Text;
using Pipeline.Documents;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Database.Tests.Revisions;

/// <summary>
/// Random puts, moves and deletions, trimmed by a policy, against a model. After a crash anywhere the versions match a
/// commit.
/// </summary>
public sealed class RevisionCrashTests
{
    private const int Ids = 12;
    private const int Keep = 5;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task The_versions_after_a_crash_are_those_of_a_commit(int seed)
    {
        var random = new Random(seed);
        using var disk = new SimulatedDisk();
        var states = new Dictionary<long, string> { [0] = "" };
        var model = new Dictionary<string, List<string>>();
        await using (var db = Open(disk))
        {
            for (var commit = 0; commit < 120; commit++)
            {
                await WriteAsync(db, random, model);
                var state = State(model);
                states[db.LastPosition] = state;
                Assert.Equal(state, State(db));
            }
        }

        CrashedDatabase.AssertSound(disk, $"seed {seed}");
        await CrashedDatabase.AssertAtCommitAsync(disk, seed, random, 40, Open, State, states);
    }

    private static DocumentDatabase Open(SimulatedDisk disk) =>
        DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = "/db",
                Files = disk,
                TimeProvider = new ManualTimeProvider(),
                Revisions = new RevisionConfiguration
                {
                    Collections = new Dictionary<string, RevisionPolicy>
                    {
                        ["Orders"] = new() { Keep = Keep },
                        ["Purged"] = new() { PurgeOnDelete = true },
                    },
                },
            }
        );

    private static async Task WriteAsync(DocumentDatabase db, Random random, Dictionary<string, List<string>> model)
    {
        var batch = new DocumentBatch();
        var position = db.LastPosition;
        for (var i = random.Next(1, 6); i > 0; i--)
        {
            var id = $"docs/{random.Next(Ids)}";
            if (!model.TryGetValue(id, out var versions))
                model[id] = versions = [];
            var collection = versions.Count == 0 ? "" : versions[^1].Split(' ')[1];
            var isDeleted = versions.Count == 0 || versions[^1].EndsWith("deleted", StringComparison.Ordinal);
            if (random.Next(4) == 0)
            {
                batch.Delete(id);
                if (isDeleted)
                    continue;
                Replace(versions, collection);
                versions.Add($"{++position} {collection} deleted");
                if (collection == "Purged")
                    versions.RemoveRange(0, versions.Count - 1);
            }
            else
            {
                var next = new[] { "Orders", "Orders", "Purged", "Plain" }[random.Next(4)];
                var body = $$"""{"T":"{{new string('x', random.Next(6) == 0 ? 3000 : 20)}}{{random.Next()}}"}""";
                batch.Put(id, Encoding.UTF8.GetBytes($$"""{"@metadata":{"@collection":"{{next}}"},{{body[1..]}}"""));
                if (versions.Count > 0)
                    Replace(versions, collection);
                if (!isDeleted && collection != next)
                    position++;
                versions.Add($"{++position} {next} {body}");
            }

            var now = versions[^1].Split(' ')[1];
            if (now == "Orders" && versions.Count > Keep && WasKept(collection))
                versions.RemoveRange(0, versions.Count - Keep);
        }

        await db.ExecuteAsync(batch);
        Assert.Equal(position, db.LastPosition);

        static bool WasKept(string collection) => collection is "Orders" or "Purged";

        static void Replace(List<string> versions, string collection)
        {
            if (!WasKept(collection))
                versions.RemoveAt(versions.Count - 1);
        }
    }

    private static string State(Dictionary<string, List<string>> model) =>
        string.Join(
            '\n',
            model
                .Where(m => m.Value.Count > 0)
                .OrderBy(m => m.Key, StringComparer.Ordinal)
                .Select(m => $"{m.Key}: {string.Join(", ", m.Value)}")
        );

    private static string State(DocumentDatabase db)
    {
        using var snapshot = db.OpenSnapshot();
        var lines = new List<string>();
        foreach (var id in Enumerable.Range(0, Ids).Select(i => $"docs/{i}").Order(StringComparer.Ordinal))
        {
            List<string> versions =
            [
                .. snapshot
                    .GetRevisions(id)
                    .Select(v => $"{v.Position} {v.Collection} {(v.IsDeleted ? "deleted" : v.Body)}")
                    .Reverse(),
            ];
            Assert.Equal(versions.Count, snapshot.CountRevisions(id));
            if (versions.Count > 0)
                lines.Add($"{id}: {string.Join(", ", versions)}");
        }

        return string.Join('\n', lines);
    }
}
