using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Hosting;
using Pipeline.Server;
using Pipeline.Server.Hosting;
using Pipeline.Server.Settings;
using Pipeline.Subscriptions;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Storage;
using Pipeline.TestKit.Time;
using Xunit;

namespace Pipeline.Worker.Tests;

/// <summary>A disk that fills: what health, metrics and clients report.</summary>
public sealed class FullDiskTests
{
    private static readonly string Large = Convert.ToBase64String(RandomNumberGenerator.GetBytes(3 << 20));

    [Fact]
    public async Task A_client_is_answered_with_507_in_the_form_that_it_reads()
    {
        using var disk = new SimulatedDisk(record: false) { CanPunchHoles = false };
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = "/db",
                Files = disk,
                TimeProvider = new ManualTimeProvider(),
            }
        );
        await using var subscriptions = SubscriptionHost.Open(database);
        await using var server = await PipelineServer.StartAsync(
            new ServerOptions { Shared = [new SharedDatabase(database, subscriptions)] }
        );
        using var http = new HttpClient { BaseAddress = server.Url };
        disk.FreeBytes = 100 << 10;

        using var answer = await http.PutAsync("/databases/shop/docs?id=a", JsonContent.Create(new { Text = Large }));

        Assert.Equal(HttpStatusCode.InsufficientStorage, answer.StatusCode);
        var error = await answer.Content.ReadFromJsonAsync<JsonElement>();
        Assert.Equal("Raven.Client.Exceptions.RavenException", error.GetProperty("Type").GetString());
        Assert.Contains("no space for ", error.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.StartsWith(
            "Raven.Client.Exceptions.RavenException: ",
            error.GetProperty("Error").GetString(),
            StringComparison.Ordinal
        );
        disk.FreeBytes = 100 << 10;
        using var batch = await http.PostAsync(
            "/databases/shop/bulk_docs",
            JsonContent.Create(
                new
                {
                    Commands = new[]
                    {
                        new
                        {
                            Type = "PUT",
                            Id = "a",
                            Document = new { Text = Large },
                        },
                    },
                },
                options: new JsonSerializerOptions()
            )
        );
        Assert.Equal(HttpStatusCode.InsufficientStorage, batch.StatusCode);
        disk.FreeBytes = long.MaxValue;
        using var again = await http.PutAsync("/databases/shop/docs?id=a", JsonContent.Create(new { Text = Large }));
        Assert.Equal(HttpStatusCode.Created, again.StatusCode);
    }

    [Fact]
    public async Task The_storage_is_unready_where_the_next_growth_has_no_room_though_a_small_write_succeeds()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = "/db",
                Files = disk,
                TimeProvider = time,
            }
        );
        var probe = new StorageProbe(database, time, leastFree: 512 << 20);
        Assert.All(await probe.CheckAsync(default), c => Assert.True(c.Ok, c.Detail));

        disk.FreeBytes = 300 << 20;
        Assert.Equal(
            [("storage", true, false), ("disk", false, true)],
            (await probe.CheckAsync(default)).Select(c => (c.Name, c.Ok, c.IsWarning))
        );
        disk.FreeBytes = 10 << 10;
        var full = (await probe.CheckAsync(default))[0];
        Assert.False(full.Ok);
        Assert.Contains(
            $"the disk of the data ({Path.GetFullPath("/db")}) is full: 10 KiB free",
            full.Detail,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task A_refusal_matters_for_a_minute()
    {
        var time = new ManualTimeProvider();
        using var disk = new SimulatedDisk(record: false);
        await using var database = DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "shop",
                Path = "/db",
                Files = disk,
                TimeProvider = time,
            }
        );
        var probe = new StorageProbe(database, time, leastFree: 0);
        disk.FreeBytes = 3 << 20;
        await Assert.ThrowsAsync<Pipeline.Storage.DiskFullException>(() =>
            database.PutAsync("a", JsonSerializer.SerializeToUtf8Bytes(new { Text = Large + Large }))
        );
        Assert.Equal(1, database.Storage.GetStatistics().Refusals);
        disk.FreeBytes = long.MaxValue;
        time.Advance(TimeSpan.FromSeconds(20));

        var refused = (await probe.CheckAsync(default))[0];

        Assert.False(refused.Ok);
        Assert.StartsWith("a write was refused 20 s ago: ", refused.Detail, StringComparison.Ordinal);
        time.Advance(TimeSpan.FromSeconds(41));
        Assert.True((await probe.CheckAsync(default))[0].Ok);
    }

    [Fact]
    public async Task A_folder_that_cannot_be_written_takes_no_messages()
    {
        using var folder = new TestFolder();
        var file = folder.Write(
            "pipeline.yaml",
            """
            version: 1
            database: { name: shop, path: ./data }
            health: { minFreeBytes: 0 }
            connections: { out: { files: { directory: ./out } } }
            etl: [{ name: t, from: [Orders], to: out, transform: 'send("orders", doc);' }]
            """
        );
        // What stands where the file is to be, cannot be written by root either.
        Directory.CreateDirectory(Path.Combine(folder["out"], "orders.jsonl"));
        await using var worker = await PipelineWorker.OpenAsync(new WorkerOptions { ConfigurationFile = file });
        using var stop = new CancellationTokenSource();
        var running = worker.RunAsync(stop.Token);
        await worker.Database.PutAsync("orders/1", """{"@metadata":{"@collection":"Orders"}}"""u8.ToArray());
        Assert.False(await worker.DrainAsync("t"));

        var connection = Assert.Single((await worker.CheckReadyAsync()).Checks, c => c.Name == "connection out");

        Assert.False(connection.Ok);
        Assert.StartsWith("task 't' cannot send: The file ", connection.Detail, StringComparison.Ordinal);
        await stop.CancelAsync();
        await running;
    }

    [SkippableFact]
    public async Task A_real_file_system_that_is_full_makes_the_worker_unready_until_there_is_room()
    {
        using var folder = new TestFolder();
        var mount = Directory.CreateDirectory(folder["small"]).FullName;
        var problem = await RunAsync("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", mount);
        Skip.If(problem is not null, $"no tmpfs can be mounted here: {problem}");
        try
        {
            var file = folder.Write(
                "pipeline.yaml",
                """
                version: 1
                database: { name: shop, path: ./small/data }
                server: { url: "http://127.0.0.1:0" }
                health: { minFreeBytes: 0 }
                connections: { out: { files: { directory: ./small/out } } }
                etl: [{ name: t, from: [None], to: out, transform: 'send("orders", doc);' }]
                """
            );
            var time = new ManualTimeProvider();
            await using var worker = await PipelineWorker.OpenAsync(
                new WorkerOptions
                {
                    ConfigurationFile = file,
                    Listens = true,
                    Time = time,
                }
            );
            using var http = new HttpClient { BaseAddress = worker.Address };
            Assert.Equal("ready", await StatusAsync(http));
            // The idle store gives space of its journal back, which is filled too.
            for (var i = 0; i < 20 && await StatusAsync(http) == "ready"; i++)
            {
                Fill(Path.Combine(mount, "filler" + i));
                time.Advance(TimeSpan.FromSeconds(61));
            }

            using (var ready = await http.GetAsync("/health/ready"))
            {
                Assert.True(
                    ready.StatusCode == HttpStatusCode.ServiceUnavailable,
                    await ready.Content.ReadAsStringAsync()
                );
                var checks = (await ready.Content.ReadFromJsonAsync<JsonElement>())
                    .GetProperty("checks")
                    .EnumerateArray()
                    .ToDictionary(c => c.GetProperty("name").GetString()!, c => c.GetProperty("ok").GetBoolean());
                Assert.Equal((false, false), (checks["storage"], checks["connection out"]));
            }
            using (
                var refused = await http.PutAsync("/databases/shop/docs?id=a", JsonContent.Create(new { Text = Large }))
            )
            {
                Assert.Equal(HttpStatusCode.InsufficientStorage, refused.StatusCode);
            }

            Assert.Matches(
                @"pipeline_storage_disk_free_bytes\{[^}]*pipeline_storage_part=""data""[^}]*\} \d{1,7}\n",
                await http.GetStringAsync("/metrics")
            );

            foreach (var filler in Directory.GetFiles(mount, "filler*"))
                File.Delete(filler);
            time.Advance(TimeSpan.FromSeconds(61));
            Assert.Equal("ready", await StatusAsync(http));
            using var taken = await http.PutAsync(
                "/databases/shop/docs?id=a",
                JsonContent.Create(new { Text = Large })
            );
            Assert.Equal(HttpStatusCode.Created, taken.StatusCode);
        }
        finally
        {
            Assert.Null(await RunAsync("umount", mount));
        }
    }

    private static async Task<string?> StatusAsync(HttpClient http)
    {
        using var answer = await http.GetAsync("/health/ready");
        var text = await answer.Content.ReadAsStringAsync();
        return JsonDocument.Parse(text).RootElement.GetProperty("status").GetString() is "ready" ? "ready" : text;
    }

    private static void Fill(string path)
    {
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0);
        var block = new byte[64 << 10];
        try
        {
            while (true)
                file.Write(block);
        }
        catch (IOException e)
        {
            Assert.Contains("space", e.Message, StringComparison.OrdinalIgnoreCase);
        }
    }

    /// <summary>Returns a program's error message, or null if it succeeds.</summary>
    private static async Task<string?> RunAsync(string program, params string[] arguments)
    {
        if (!OperatingSystem.IsLinux())
            return "it needs Linux";
        try
        {
            using var process = Process.Start(
                new ProcessStartInfo(program, arguments) { RedirectStandardError = true }
            )!;
            var error = await process.StandardError.ReadToEndAsync();
            await process.WaitForExitAsync();
            return process.ExitCode == 0 ? null : error.Trim();
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            return e.Message;
        }
    }
}
