using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Connectors.Files;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Etl.Tests.Connectors;

public sealed class FilesConnectorTests : IDisposable
{
    private readonly string _folder = Path.Combine(
        Path.GetTempPath(),
        "pipeline-files-" + Guid.NewGuid().ToString("N")
    );

    public void Dispose()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_line_is_a_structured_cloud_event()
    {
        await using var connector = NewConnector();
        await SendAsync(connector, "t", [Message(7, "{\"a\":1.50}", key: "k\"1", body2: null)]);
        var line = Assert.Single(Lines("out"));
        Assert.Equal(
            """{"specversion":"1.0","id":"db/t/7/0","source":"/s","type":"put","subject":"things/7","time":"2026-01-02T03:04:05.5Z","datacontenttype":"application/json","partitionkey":"k\"1","pipelinetask":"db/t","pipelineposition":"7","data":{"a":1.50}}""",
            line
        );
    }

    [Fact]
    public async Task Line_ends_in_a_body_do_not_break_the_line()
    {
        await using var connector = NewConnector();
        await SendAsync(connector, "t", [Message(1, "{\n  \"a\": 1.50,\r\n \"b\": \"x\\ny\" }")]);
        using var line = JsonDocument.Parse(Assert.Single(Lines("out")));
        Assert.Equal("{\"a\":1.50,\"b\":\"x\\ny\"}", line.RootElement.GetProperty("data").GetRawText());
    }

    [Fact]
    public async Task A_torn_last_line_is_cut_at_start()
    {
        await using (var connector = NewConnector())
            await SendAsync(connector, "t", [Message(1), Message(2)]);
        await File.AppendAllTextAsync(FilePath("out"), "{\"specversion\":\"1.0\",\"id\":\"db/t/3/0\",\"sou");
        await using var again = NewConnector();
        await SendAsync(again, "t", [Message(3)]);
        Assert.Equal(["db/t/1/0", "db/t/2/0", "db/t/3/0"], Ids("out"));
    }

    [Fact]
    public async Task A_file_that_is_only_a_torn_line_is_emptied()
    {
        Directory.CreateDirectory(_folder);
        await File.WriteAllTextAsync(FilePath("out"), new string('x', 200_000));
        await using var connector = NewConnector();
        await SendAsync(connector, "t", [Message(3)]);
        Assert.Equal(["db/t/3/0"], Ids("out"));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(4)]
    [InlineData(3)]
    public async Task What_arrived_before_a_crash_is_not_written_again(int batchAfterCrash)
    {
        // The batch from 3 to 12 was written, its last line torn, and not acknowledged; another task wrote behind it.
        await using (var connector = NewConnector())
        {
            await SendAsync(connector, "t", [Message(1), Message(2)]);
            await SendAsync(connector, "t", [.. Enumerable.Range(3, 10).Select(n => Message(n))]);
            await SendAsync(connector, "other", [Message(5, task: "other"), Message(500, task: "other")]);
        }

        await File.AppendAllTextAsync(FilePath("out"), "{\"torn");
        await using var again = NewConnector();
        var sink = again.CreateSink(new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance));
        await sink.ConnectAsync(default);
        for (var from = 3; from <= 20; from += batchAfterCrash)
        {
            OutgoingMessage[] messages = [.. Enumerable.Range(from, batchAfterCrash).Select(n => Message(n))];
            await sink.SendAsync(new MessageBatch(messages, messages[^1].Position), default);
        }

        string[] mine = [.. Ids("out").Where(i => i.StartsWith("db/t/", StringComparison.Ordinal))];
        Assert.Equal(mine.Distinct(), mine);
        Assert.Equal(Enumerable.Range(1, mine.Length).Select(n => $"db/t/{n}/0"), mine);
        Assert.True(mine.Length >= 20);
    }

    [Fact]
    public async Task A_line_longer_than_a_block_is_found_too()
    {
        var large = "\"" + new string('x', 300_000) + "\"";
        await using (var connector = NewConnector())
            await SendAsync(connector, "t", [Message(1), Message(2, large), Message(3, large)]);
        await using var again = NewConnector();
        await SendAsync(again, "t", [Message(2, large), Message(3, large), Message(4)]);
        Assert.Equal(["db/t/1/0", "db/t/2/0", "db/t/3/0", "db/t/4/0"], Ids("out"));
    }

    [Theory]
    [InlineData("../x")]
    [InlineData("a/b")]
    [InlineData("/etc/x")]
    [InlineData("")]
    [InlineData(".hidden")]
    [InlineData("a\\b")]
    [InlineData("a\0b")]
    public async Task A_destination_cannot_leave_the_folder(string destination)
    {
        await using var connector = NewConnector();
        var sink = connector.CreateSink(new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance));
        Assert.Contains(
            "is not a file name",
            sink.FindFault(Message(1, destination: destination)),
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_body_over_the_limit_is_a_fault()
    {
        await using var connector = NewConnector(new FilesOptions { Directory = _folder, MaxMessageBytes = 4 });
        var sink = connector.CreateSink(new SinkContext("t", "db", TimeProvider.System, NullLoggerFactory.Instance));
        Assert.Equal(
            "the body has 5 bytes; at most 4 are allowed (maxMessageBytes)",
            sink.FindFault(Message(1, "12345"))
        );
        Assert.Null(sink.FindFault(Message(1, "1234")));
    }

    [Fact]
    public async Task A_file_that_somebody_else_writes_is_an_error_that_passes()
    {
        await using var connector = NewConnector();
        Directory.CreateDirectory(_folder);
        using (new FileStream(FilePath("out"), FileMode.Create, FileAccess.Write, FileShare.None))
        {
            var e = await Assert.ThrowsAsync<ConnectorException>(() => SendAsync(connector, "t", [Message(1)]));
            Assert.True(e.IsTransient);
            Assert.Contains(FilePath("out"), e.Message, StringComparison.Ordinal);
        }

        await SendAsync(connector, "t", [Message(1)]);
        Assert.Equal(["db/t/1/0"], Ids("out"));
    }

    private static OutgoingMessage Message(
        long position,
        string body = "{}",
        string? key = null,
        string destination = "out",
        string task = "t",
        string? body2 = null
    ) =>
        new()
        {
            Destination = destination,
            Id = $"db/{task}/{position}/0",
            Source = "/s",
            Type = "put",
            Subject = $"things/{position}",
            Time = new DateTimeOffset(2026, 1, 2, 5, 4, 5, 500, TimeSpan.FromHours(2)),
            Key = key,
            Body = Encoding.UTF8.GetBytes(body2 ?? body),
            Position = position,
        };

    private static async Task SendAsync(IConnector connector, string task, OutgoingMessage[] messages)
    {
        var sink = connector.CreateSink(new SinkContext(task, "db", TimeProvider.System, NullLoggerFactory.Instance));
        await sink.ConnectAsync(default);
        Assert.Empty(await sink.SendAsync(new MessageBatch(messages, messages[^1].Position), default));
        await sink.DisposeAsync();
    }

    private IConnector NewConnector(FilesOptions? options = null) =>
        new FilesDefinition().Create(
            (object)(options ?? new FilesOptions { Directory = _folder }),
            new ConnectorContext("files", Path.GetFullPath("/"), TimeProvider.System, NullLoggerFactory.Instance)
        );

    private IReadOnlyList<string> Lines(string destination) => OpenFile.ReadLines(FilePath(destination));

    private string FilePath(string destination) => Path.Combine(_folder, destination + ".jsonl");

    private string[] Ids(string destination) =>
        [.. Lines(destination).Select(l => JsonDocument.Parse(l).RootElement.GetProperty("id").GetString()!)];
}
