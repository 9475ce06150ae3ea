using System.Text;
using System.Text.Json;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Runner;
using Pipeline.Etl.Tests.Runner;
using Xunit;

namespace Pipeline.Etl.Tests.DeadLetters;

public sealed class RetriedLetterTests
{
    private static readonly string Fails = RunnerFixture.Task(
        "t",
        "if (doc.N % 5 == 3) throw new Exception(\"no \" + doc.N);\nsend(\"out\", doc.N);"
    );
    private static readonly string Repaired = RunnerFixture.Task("t", "send(\"out\", \"repaired \" + doc.N);");

    [Fact]
    public async Task A_letter_that_was_marked_while_nothing_ran_sends_what_the_transform_of_the_next_start_gives()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await f.RunToEndAsync(Fails);
        JsonElement[] letters = [.. f.DeadLetters()];
        Assert.Equal(2, letters.Length);
        Assert.Equal(16, letters[0].GetProperty("Script").GetString()!.Length);
        await MarkAsync(f);
        await using var host = f.Start(Repaired);
        await ErrorPolicyTests.SettledAsync(f);
        Assert.Empty(f.DeadLetters());
        Assert.Equal(["\"repaired 3\"", "\"repaired 8\""], f.Broker.Bodies()[8..]);
        Assert.Equal(f.Feed.DatabaseId + "/t/4/0", f.Broker.Ids()[8]);
    }

    [Fact]
    public async Task A_letter_that_fails_again_says_what_happened_now_and_waits_for_a_person()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 5);
        await f.RunToEndAsync(Fails);
        var first = f.DeadLetters()[0].GetProperty("Script").GetString()!;
        await MarkAsync(f);
        await using var host = f.Start(RunnerFixture.Task("t", "throw new Exception(\"still no \" + doc.N);"));
        await ErrorPolicyTests.SettledAsync(f);
        var letter = Assert.Single(f.DeadLetters());
        Assert.Equal(
            (2, "still no 3"),
            (letter.GetProperty("Attempts").GetInt32(), letter.GetProperty("Error").GetProperty("Message").GetString())
        );
        Assert.NotEqual(first, letter.GetProperty("Script").GetString());
    }

    [Fact]
    public async Task The_document_of_now_is_what_a_retry_sends_and_an_edited_input_stands_for_it()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await f.RunToEndAsync(Fails);
        await f.PutAsync("things/3", 30);
        await f.RunToEndAsync(Repaired);
        var desk = new DeadLetterService(f.Database);
        var letters = await desk.FindAsync(new DeadLetterSelection { Task = "t" });
        await desk.EditAsync(
            letters[1].Id,
            Encoding.UTF8.GetBytes("""{"N":80,"@metadata":{"@collection":"Things"}}""")
        );
        await MarkAsync(f);
        await using var host = f.Start(Repaired);
        await ErrorPolicyTests.SettledAsync(f);
        // The newer version of things/3 was sent; it comes once more with the same id, so that a consumer drops it.
        Assert.Equal(["\"repaired 30\"", "\"repaired 30\"", "\"repaired 80\""], f.Broker.Bodies()[8..]);
        Assert.Equal(f.Broker.Ids()[8], f.Broker.Ids()[9]);
        Assert.Empty(f.DeadLetters());
    }

    [Fact]
    public async Task A_letter_whose_document_was_deleted_sends_its_input_unless_the_task_takes_deletions()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 5);
        var with = RunnerFixture.Task(
            "with",
            "if (doc.N == 3) throw new Exception(\"x\");\nsend(\"out\", id + isDeleted);",
            more: "onDelete: event"
        );
        await f.RunToEndAsync(Fails, with);
        await f.Database.DeleteAsync("things/3");
        await f.RunToEndAsync(Fails, with);
        await MarkAsync(f);
        await using var host = f.Start(Repaired, with);
        await ErrorPolicyTests.SettledAsync(f);
        Assert.Empty(f.DeadLetters());
        Assert.Equal("\"repaired 3\"", f.Broker.Bodies("t")[^1]);
        Assert.Equal("\"things/3True\"", f.Broker.Bodies("with")[^1]);
        Assert.Equal(5, f.Broker.Bodies("with").Length);
    }

    [Fact]
    public async Task Of_a_document_with_several_messages_only_the_refused_one_is_sent_again()
    {
        await using var f = new RunnerFixture(new FakeBroker { Remembers = true });
        var refuses = true;
        f.Broker.Refuse = m => refuses && m.Body.Span.SequenceEqual("11"u8) ? "no" : null;
        var task = RunnerFixture.Task("t", "send(\"a\", doc.N); send(\"b\", doc.N + 10); send(\"c\", doc.N + 20);");
        await f.PutManyAsync(0, 3);
        await f.RunToEndAsync(task);
        Assert.Equal(8, f.Broker.Bodies().Length);
        refuses = false;
        await MarkAsync(f);
        await using var host = f.Start(task);
        await ErrorPolicyTests.SettledAsync(f);
        Assert.Equal("11", f.Broker.Bodies()[^1]);
        Assert.Equal(9, f.Broker.Ids().Distinct().Count());
        Assert.Equal(9, f.Broker.Ids().Length);
        var status = host.GetStatus()[0];
        Assert.Equal(f.Database.LastPosition, status.Position + status.Lag);
    }

    [Fact]
    public async Task Letters_are_found_by_id_task_and_query()
    {
        await using var f = new RunnerFixture();
        await f.PutManyAsync(0, 10);
        await f.RunToEndAsync(Fails, Fails.Replace("name: t", "name: other", StringComparison.Ordinal));
        var desk = new DeadLetterService(f.Database);
        Assert.Equal(4, (await desk.FindAsync(new DeadLetterSelection { All = true })).Count);
        Assert.Equal(
            ["things/3", "things/8"],
            (await desk.FindAsync(new DeadLetterSelection { Task = "other" })).Select(l => l.DocumentId)
        );
        Assert.Equal(
            "things/8",
            Assert.Single(await desk.FindAsync(new DeadLetterSelection { Ids = ["t/9"] })).DocumentId
        );
        var queried = await desk.FindAsync(
            new DeadLetterSelection { Query = "from DeadLetters where Class = 'script' and DocumentId = 'things/3'" }
        );
        Assert.Equal(["t", "other"], queried.Select(l => l.Task).OrderDescending());
        Assert.Empty(await desk.FindAsync(new DeadLetterSelection()));
        await Assert.ThrowsAsync<DeadLetterException>(() =>
            desk.FindAsync(new DeadLetterSelection { Query = "from Things" })
        );
        await Assert.ThrowsAsync<DeadLetterException>(() => desk.FindAsync(new DeadLetterSelection { Ids = ["t/99"] }));
    }

    private static async Task MarkAsync(RunnerFixture f)
    {
        var desk = new DeadLetterService(f.Database);
        await desk.RetryAsync(await desk.FindAsync(new DeadLetterSelection { All = true }));
    }
}
