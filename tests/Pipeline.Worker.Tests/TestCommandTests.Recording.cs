using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <content>Recorded cases.</content>
public sealed partial class TestCommandTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task RecordedCasesHoldWhatLooksLikeVariables(bool isBeside)
    {
        using var folder = new TestFolder();
        var file = await FillAsync(
            folder,
            """
            var other = load("${HOME}/1");
            if (doc.Bad) throw new InvalidOperationException("no " + doc.K + "\\n more");
            send(doc.D, new { doc.K, other.Name }, key: doc.K, id: doc.K, type: doc.K);
            """,
            """
            {"Name":"${HOME}","@metadata":{"@id":"${HOME}/1","@collection":"Others"}}
            {"K":"${NOSUCH_VARIABLE}","D":"$${HOME}","@metadata":{"@id":"things/${NOSUCH_VARIABLE}","@collection":"Things"}}
            {"K":"${HOME}","Bad":true,"@metadata":{"@id":"things/${HOME}","@collection":"Things"}}
            {"K":"${","D":"a \ud83d\ude00","@metadata":{"@id":"things/3","@collection":"Things"}}
            """
        );
        string[] to = isBeside ? ["--task", "t", "--to", folder["more.yaml"]] : [];

        var recorded = await WorkerRun.InvokeAsync(["test", file, "--record", "3", .. to]);

        Assert.Equal("", recorded.Error);
        Assert.StartsWith("3 cases were added", recorded.Out);
        if (isBeside)
        {
            Assert.StartsWith(
                "0 cases were added",
                (await WorkerRun.InvokeAsync(["test", file, "--record", "3", .. to])).Out
            );
            File.WriteAllText(
                file,
                File.ReadAllText(file)
                    .Replace(
                        "    from: [Things]",
                        "    testFiles: [more.yaml]\n    from: [Things]",
                        StringComparison.Ordinal
                    )
            );
        }
        Assert.Contains("no faults", (await WorkerRun.InvokeAsync("lint", file)).Out);
        Assert.Contains("3 passed, 0 failed; 100 %", (await WorkerRun.InvokeAsync("test", file)).Out);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task NothingIsRecordedWhereACaseWouldNotPass(bool isBeside)
    {
        using var folder = new TestFolder();
        var file = await FillAsync(
            folder,
            "send(\"x\", new { V = metadata[\"@change-vector\"] });",
            """{"@metadata":{"@id":"things/1","@collection":"Things"}}"""
        );
        var before = File.ReadAllText(file);
        string[] to = isBeside ? ["--task", "t", "--to", folder["more.yaml"]] : [];

        var recorded = await WorkerRun.InvokeAsync(["test", file, "--record", "3", .. to]);

        Assert.StartsWith(
            "pipeline: Nothing was recorded: 1 of the cases would not pass. The transform gives another result for the inputs that a case can express: 'recorded: things/1': ",
            recorded.Error
        );
        Assert.Equal(ExitCodes.Failed, recorded.ExitCode);
        Assert.Equal(before, File.ReadAllText(file));
        Assert.False(File.Exists(folder["more.yaml"]));
    }

    [Fact]
    public async Task AttachmentsAreRecorded()
    {
        using var folder = new TestFolder();
        var file = await FillAsync(
            folder,
            """
            var note = loadAttachment("note");
            send("x", new { note.Text, note.Hash, Size = loadAttachment("picture").Size, None = loadAttachment("none") == null });
            """,
            """{"@metadata":{"@id":"things/1","@collection":"Things"}}"""
        );
        var worker = await Pipeline.Hosting.PipelineWorker.OpenAsync(
            new Pipeline.Hosting.WorkerOptions { ConfigurationFile = file }
        );
        await using (worker.ConfigureAwait(false))
        {
            await worker.Database.Attachments.PutAsync(
                "things/1",
                "note",
                new MemoryStream("a ${HOME}: \"b\"\nc"u8.ToArray()),
                "text/plain"
            );
            await worker.Database.Attachments.PutAsync(
                "things/1",
                "picture",
                new MemoryStream([0, 255, 1]),
                "image/png"
            );
        }

        var recorded = await WorkerRun.InvokeAsync("test", file, "--record", "1");

        Assert.Equal("", recorded.Error);
        var text = File.ReadAllText(file);
        Assert.Contains("text: \"a $${HOME}: \\\"b\\\"\\nc\"", text);
        Assert.Contains("base64: AP8B", text);
        Assert.Contains("1 passed, 0 failed", (await WorkerRun.InvokeAsync("test", file)).Out);
    }

    [Fact]
    public async Task RecordingKeepsLinksRightsAndLineEnds()
    {
        using var folder = new TestFolder();
        var file = await FillAsync(folder);
        File.WriteAllText(file, Configuration.Replace('\n', '\r'));
        var link = folder["link.yaml"];
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            File.CreateSymbolicLink(link, file);
        }

        var recorded = await WorkerRun.InvokeAsync("test", OperatingSystem.IsWindows() ? file : link, "--record", "3");

        Assert.Equal("", recorded.Error);
        Assert.DoesNotContain('\n', File.ReadAllText(file));
        Assert.Contains("5 passed, 0 failed", (await WorkerRun.InvokeAsync("test", file)).Out);
        if (OperatingSystem.IsWindows())
            return;
        Assert.Equal(file, File.ResolveLinkTarget(link, true)!.FullName);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
    }
}
