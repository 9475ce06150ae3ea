using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Backups;
using Pipeline.Backups.Destinations;
using Pipeline.Backups.Drills;
using Pipeline.Backups.Manifests;
using Pipeline.Backups.Restoring;
using Pipeline.Backups.Running;
using Pipeline.Database;
using Pipeline.Database.Indexes;
using Pipeline.Storage;
using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.IntegrationTests.Backups;

[Collection(BrokerTests.Name)]
public sealed class RemoteDestinationTests(Services services)
{
    private static readonly BackupRunnerOptions Options = new()
    {
        RetryDelay = TimeSpan.FromMilliseconds(50),
        Loggers = NullLoggerFactory.Instance,
    };

    private async Task<DestinationDefinition> FindAsync(string kind) =>
        kind == "s3"
            ? new S3Definition(S3Service.Bucket)
            {
                Endpoint = new Uri((await services.S3.UseAsync()).Endpoint),
                AccessKey = S3Service.Key,
                SecretKey = S3Service.Key,
                Prefix = "a/b",
            }
            : new AzureBlobDefinition("backups")
            {
                ConnectionString = (await services.AzureBlobs.UseAsync()).Endpoint,
                Prefix = "a/b",
            };

    [SkippableTheory]
    [InlineData("s3")]
    [InlineData("azureBlob")]
    public async Task Objects_are_put_listed_read_and_deleted(string kind)
    {
        await using var destination = (await FindAsync(kind)).Create(
            $"objects-{Guid.NewGuid():n}",
            TimeProvider.System
        );
        Assert.Null(await destination.GetAsync("chunks/aa/none", default));
        for (var i = 0; i < 1_050; i++)
            await destination.PutAsync($"chunks/aa/{i:0000}", new byte[] { (byte)i }, default);
        await destination.PutAsync("chunks/aa/0007", new byte[100_000], default);
        await destination.PutAsync("other/x", "text"u8.ToArray(), default);

        var found = new List<StoredObject>();
        await foreach (var item in destination.ListAsync("chunks/", default))
            found.Add(item);

        Assert.Equal(1_050, found.Select(f => f.Name).Distinct().Count());
        Assert.Equal(100_000, found.Single(f => f.Name == "chunks/aa/0007").Length);
        Assert.InRange(found[0].Modified, DateTimeOffset.UtcNow.AddMinutes(-10), DateTimeOffset.UtcNow.AddMinutes(10));
        Assert.Equal("text"u8.ToArray(), await destination.GetAsync("other/x", default));
        await destination.DeleteAsync("other/x", default);
        await destination.DeleteAsync("other/x", default);
        Assert.Null(await destination.GetAsync("other/x", default));
    }

    [SkippableTheory]
    [InlineData("s3")]
    [InlineData("azureBlob")]
    public async Task Full_and_incremental_backups_go_there_and_come_back(string kind)
    {
        var root = Directory.CreateTempSubdirectory("pipeline-remote-").FullName;
        try
        {
            var definition = new BackupDefinition
            {
                Name = $"nightly-{Guid.NewGuid():n}",
                Destinations = [await FindAsync(kind)],
                Encryption = new StorageEncryption { Key = new byte[32] },
            };
            long position;
            await using (
                var database = DocumentDatabase.Open(
                    new DatabaseOptions
                    {
                        Name = "shop",
                        Path = Path.Combine(root, "data"),
                        Indexing = new IndexingOptions { Enabled = false },
                    }
                )
            )
            {
                await using var runner = new BackupRunner(definition, database, Options);
                for (var i = 0; i < 50; i++)
                {
                    await database.PutAsync(
                        $"things/{i}",
                        System.Text.Encoding.UTF8.GetBytes($$"""{"Text":"{{new string('a', 20_000)}}"}""")
                    );
                }

                Assert.True((await runner.RunAsync()).Succeeded);
                await database.PutAsync("things/7", "{}"u8.ToArray());
                var report = await runner.RunAsync();
                Assert.Equal(BackupKind.Incremental, report.Destinations.Single().Backup!.Kind);
                position = database.LastPosition;
                Assert.Null((await BackupDrill.RunAsync(definition, database, Options)).Single().Problem);
            }

            await using var repository = (await RepositoryAccess.OpenAsync(definition, Options, create: false, default))
                .Single()
                .Repository!;
            Assert.True((await new BackupVerifier(repository).VerifyAsync()).IsSound);
            var restored = await new BackupRestorer(repository).RestoreAsync(
                new RestorePoint(),
                new StorageOptions { Path = Path.Combine(root, "again") }
            );
            Assert.Equal((position, 50), (restored.Reached.Position, restored.Documents));
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    [SkippableTheory]
    [InlineData("s3")]
    [InlineData("azureBlob")]
    public async Task A_wrong_key_is_an_error_that_names_the_place_and_no_secret(string kind)
    {
        var wrong = (await FindAsync(kind)) switch
        {
            S3Definition s3 => s3 with { AccessKey = "somebody", SecretKey = "not-the-secret" }, // s3rver checks the key's id only
            AzureBlobDefinition blob => blob with
            {
                ConnectionString = blob.ConnectionString!.Replace(
                    "AccountKey=E",
                    "AccountKey=F",
                    StringComparison.Ordinal
                ),
            },
            var other => other,
        };
        await using var destination = wrong.Create("wrong", TimeProvider.System);
        var error = await Assert.ThrowsAsync<DestinationException>(() =>
            destination.PutAsync("x", new byte[1], default)
        );
        Assert.False(error.IsTransient);
        Assert.Contains(kind, error.Message);
        Assert.DoesNotContain("not-the-secret", error.Message);
        Assert.DoesNotContain("FbY8", error.Message, StringComparison.OrdinalIgnoreCase);
    }
}
