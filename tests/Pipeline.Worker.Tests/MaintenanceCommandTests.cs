using System.Text.Json;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

public sealed class MaintenanceCommandTests
{
    [Fact]
    public async Task CheckFindsASoundDatabaseSoundAndASpoiledOneNot()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", folder["a"]);

        var sound = await WorkerRun.InvokeAsync("check", "--data", folder["a"]);
        Assert.Equal("", sound.Error);
        Assert.Equal(ExitCodes.Success, sound.ExitCode);
        Assert.Contains("1,051 documents, 0 tombstones; position 1,051;", sound.Out);
        Assert.EndsWith($"all is sound{Environment.NewLine}", sound.Out);

        var page = Spoil(folder["a"], "orders/10248"u8);
        var spoiled = await WorkerRun.InvokeAsync("check", "--data", folder["a"]);
        Assert.Equal(ExitCodes.Failed, spoiled.ExitCode);
        Assert.Contains($", page {page}: its checksum does not match", spoiled.Out);
        Assert.Contains("affected: document 'orders/10248'", spoiled.Out);

        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("check", "--json", "--data", folder["a"])).Out)
            .RootElement;
        Assert.False(json.GetProperty("isSound").GetBoolean());
        Assert.Contains(
            json.GetProperty("treeProblems").EnumerateArray(),
            p => p.GetProperty("page").GetInt32() == page
        );
    }

    [Fact]
    public async Task CheckOfAFolderWithoutADatabaseIsExitCode2()
    {
        using var folder = new TestFolder();
        folder.Write("x.txt", "x");
        var run = await WorkerRun.InvokeAsync("check", "--data", Path.GetDirectoryName(folder["x.txt"])!);
        Assert.Equal(ExitCodes.Usage, run.ExitCode);
        Assert.Contains("pipeline.data is missing", run.Error);
    }

    [Fact]
    public async Task SalvageCopiesWhatIsReadableAndListsTheRest()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", folder["a"]);
        Spoil(folder["a"], "orders/10248"u8);

        var salvaged = await WorkerRun.InvokeAsync("salvage", "--data", folder["a"], "--to", folder["b"]);
        Assert.Equal(ExitCodes.Failed, salvaged.ExitCode);
        Assert.Contains("lost: document 'orders/10248'", salvaged.Out);
        Assert.Contains("documents are known to be lost", salvaged.Out);
        Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync("check", "--data", folder["b"])).ExitCode);

        var again = await WorkerRun.InvokeAsync("salvage", "--data", folder["a"], "--to", folder["b"]);
        Assert.Equal(ExitCodes.Usage, again.ExitCode);
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("salvage", "--json", "--data", folder["a"], "--to", folder["c"])).Out)
            .RootElement;
        Assert.Contains(
            json.GetProperty("lostDocuments").EnumerateArray(),
            d => d.GetProperty("id").GetString() == "orders/10248"
        );
    }

    [Fact]
    public async Task IoStatsOfAFolderShowEachKind()
    {
        using var folder = new TestFolder();
        await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--data", folder["a"]);
        var table = await WorkerRun.InvokeAsync("io-stats", "--data", folder["a"]);
        Assert.Equal("", table.Error);
        Assert.Contains("DataSync", table.Out);
        var json = JsonDocument
            .Parse((await WorkerRun.InvokeAsync("io-stats", "--json", "--data", folder["a"])).Out)
            .RootElement;
        Assert.Equal(7, json.GetProperty("io").GetArrayLength());
        Assert.True(
            json.GetProperty("io")
                .EnumerateArray()
                .Single(i => i.GetProperty("kind").GetString() == "DataSync")
                .GetProperty("count")
                .GetInt32() > 0
        );
    }

    /// <summary>Flips a bit in the page of the data file in which the text first stands.</summary>
    internal static int Spoil(string path, ReadOnlySpan<byte> text)
    {
        var data = Path.Combine(path, "pipeline.data");
        var bytes = File.ReadAllBytes(data);
        var at = bytes.AsSpan().IndexOf(text);
        Assert.True(at > 0);
        bytes[at] ^= 1;
        File.WriteAllBytes(data, bytes);
        return at / 8192;
    }
}
