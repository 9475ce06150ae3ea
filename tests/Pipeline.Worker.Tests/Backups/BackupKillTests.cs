using System.Security.Cryptography;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.TestKit.Files;
using Pipeline.WorkerKit;
using Xunit;

namespace Pipeline.Worker.Tests.Backups;

/// <summary>The program itself, killed in the middle of a backup.</summary>
public sealed class BackupKillTests
{
    [Fact]
    public async Task Killed_while_it_sends_nothing_passes_for_a_backup_and_the_next_run_makes_one()
    {
        using var folder = new TestFolder();
        var config = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            backups:
              - { name: nightly, to: { folder: ./bak }, compression: none, parallel: 1 }

            """
        );
        await using (
            var database = DocumentDatabase.Open(
                new DatabaseOptions
                {
                    Name = "shop",
                    Path = folder["data"],
                    Indexing = new IndexingOptions { Enabled = false },
                }
            )
        )
        {
            for (var i = 0; i < 40; i++)
            {
                await database.PutAsync(
                    $"things/{i}",
                    System.Text.Encoding.UTF8.GetBytes(
                        $$"""{"Text":"{{Convert.ToBase64String(RandomNumberGenerator.GetBytes(1_000_000))}}"}"""
                    )
                );
            }
        }
        foreach (var files in new[] { 1, 4, 9 })
        {
            using var process = new WorkerProcess("backup", "run", "nightly", "--full", "--config", config);
            while (Count(folder["bak"]) < files)
                await Task.Delay(1);
            process.Kill();
            await process.WaitAsync();
            var list = await WorkerRun.InvokeAsync("backup", "list", "--config", config);
            Assert.Equal((0, $"no backups{Environment.NewLine}", ""), (list.ExitCode, list.Out, list.Error));
        }
        var run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--config", config);
        Assert.Equal("", run.Error);
        Assert.Contains("-full-", run.Out);
        Assert.Contains("all is sound", (await WorkerRun.InvokeAsync("backup", "verify", "--config", config)).Out);
        Assert.Contains(
            "40 documents",
            (await WorkerRun.InvokeAsync("restore", "nightly", "--config", config, "--to", folder["again"])).Out
        );
        using var increment = new WorkerProcess("backup", "run", "nightly", "--config", config);
        increment.Kill();
        await increment.WaitAsync();
        run = await WorkerRun.InvokeAsync("backup", "run", "nightly", "--config", config);
        Assert.Contains("-incremental-", run.Out);
    }

    private static int Count(string folder) =>
        Directory.Exists(folder)
            ? Directory
                .EnumerateFiles(folder, "*", SearchOption.AllDirectories)
                .Count(f => !f.EndsWith(".unfinished", StringComparison.Ordinal))
            : 0;
}
