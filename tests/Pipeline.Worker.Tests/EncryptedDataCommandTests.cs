using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>The commands that inspect a database, on an encrypted one.</summary>
public sealed class EncryptedDataCommandTests : IDisposable
{
    private readonly TestFolder _folder = new();
    private readonly string _config;
    private readonly string _key;

    public EncryptedDataCommandTests()
    {
        _key = _folder.Write("a.key", new string('a', 64));
        _config = _folder.Write(
            "pipeline.yaml",
            "version: 1\ndatabase:\n  name: t\n  path: data\n  encryption: { keyFile: a.key }\n"
        );
    }

    private string Data => _folder["data"];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task CheckTakesTheKeyFromTheConfigurationOrTheCommandLine()
    {
        await ImportAsync();
        foreach (
            var arguments in (string[][])
                [
                    ["--config", _config],
                    ["--data", Data, "--key-file", _key],
                    [
                        "--data",
                        Data,
                        "--key-command",
                        OperatingSystem.IsWindows() ? $"type \"{_key}\"" : $"cat '{_key}'",
                    ],
                ]
        )
        {
            var sound = await WorkerRun.InvokeAsync(["check", .. arguments]);
            Assert.True(sound.ExitCode == ExitCodes.Success, sound.Error + sound.Out);
            Assert.Contains("1,051 documents", sound.Out, StringComparison.Ordinal);
            Assert.Equal(ExitCodes.Success, (await WorkerRun.InvokeAsync(["stats", .. arguments])).ExitCode);
        }

        var none = await WorkerRun.InvokeAsync("check", "--data", Data);
        Assert.Equal(ExitCodes.Failed, none.ExitCode);
        Assert.Contains("is encrypted, but no key is given", none.Error, StringComparison.Ordinal);
        Assert.Contains("--key-file", none.Error, StringComparison.Ordinal);
        var wrong = await WorkerRun.InvokeAsync(
            "check",
            "--data",
            Data,
            "--key-file",
            _folder.Write("b.key", new string('b', 64))
        );
        Assert.Equal(ExitCodes.Failed, wrong.ExitCode);
        Assert.Contains("under another key", wrong.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("damaged", wrong.Error + wrong.Out, StringComparison.Ordinal);
        Assert.Contains(
            "--key-file goes with --data",
            (await WorkerRun.InvokeAsync("check", "--config", _config, "--key-file", _key)).Error,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "cannot be combined",
            (await WorkerRun.InvokeAsync("check", "--data", Data, "--key-file", _key, "--key-variable", "X")).Error,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task SalvageCopiesIntoAStoreUnderTheSameKey()
    {
        await ImportAsync();
        SpoilAPage();
        var spoiled = await WorkerRun.InvokeAsync("check", "--config", _config);
        Assert.Equal(ExitCodes.Failed, spoiled.ExitCode);
        Assert.Contains("its checksum does not match", spoiled.Out, StringComparison.Ordinal);
        Assert.Contains("affected: ", spoiled.Out, StringComparison.Ordinal);

        var refused = await WorkerRun.InvokeAsync("salvage", "--data", Data, "--to", _folder["b"]);
        Assert.Contains("is encrypted, but no key is given", refused.Error, StringComparison.Ordinal);
        var salvaged = await WorkerRun.InvokeAsync("salvage", "--data", Data, "--key-file", _key, "--to", _folder["b"]);
        Assert.True(salvaged.ExitCode == ExitCodes.Failed && salvaged.Error.Length == 0, salvaged.Error);
        Assert.Contains("lost: document", salvaged.Out, StringComparison.Ordinal);
        Assert.Contains(
            "no key is given",
            (await WorkerRun.InvokeAsync("check", "--data", _folder["b"])).Error,
            StringComparison.Ordinal
        );
        var copy = await WorkerRun.InvokeAsync("check", "--data", _folder["b"], "--key-file", _key);
        Assert.True(copy.ExitCode == ExitCodes.Success, copy.Out);
    }

    private async Task ImportAsync() =>
        Assert.Equal(
            ExitCodes.Success,
            (await WorkerRun.InvokeAsync("import", NorthwindFile.Path, "--config", _config)).ExitCode
        );

    /// <summary>Flips a bit in a leaf of the records, told by its tree's tag and some entries.</summary>
    private void SpoilAPage()
    {
        var path = Path.Combine(Data, "pipeline.data");
        var bytes = File.ReadAllBytes(path);
        var tag = Pipeline.Storage.TreeTag.Of("documents");
        for (var page = bytes.Length / 8192 - 1; page > 2; page--)
        {
            var header = bytes.AsSpan(page * 8192, 64);
            if (header[4] != 4 || BitConverter.ToUInt16(header[6..]) != tag)
                continue;
            bytes[(page * 8192) + 5000] ^= 1;
            File.WriteAllBytes(path, bytes);
            return;
        }
        Assert.Fail("no page was found");
    }
}
