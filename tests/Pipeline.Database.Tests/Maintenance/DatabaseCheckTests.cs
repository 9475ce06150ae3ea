using System.Buffers.Binary;
using System.Text;
using Pipeline.Documents.Maintenance;
using Pipeline.Storage;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Maintenance;

public sealed class DatabaseCheckTests
{
    [Fact]
    public async Task ADatabaseWithMovesAndTombstonesIsSound()
    {
        using var folder = new TestFolder();
        await MakeAsync(folder.Path);

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });

        Assert.True(report.IsSound, string.Join("; ", report.Problems) + string.Join("; ", report.Storage.Problems));
        Assert.Equal(590, report.Documents);
        Assert.Equal(10 + 5, report.Tombstones);
        Assert.Equal(600 + 10 + 10, report.LastPosition);
    }

    [Theory]
    [InlineData("ids")]
    [InlineData("collection/1")]
    [InlineData("documents")]
    public async Task WhatTreesSayAgainstEachOtherIsFound(string tree)
    {
        using var folder = new TestFolder();
        await MakeAsync(folder.Path);
        var position = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(position, 100);
        using (var storage = StorageEnvironment.Open(new StorageOptions { Path = folder.Path }))
        {
            await storage.WriteAsync(t =>
                Assert.True(t.OpenTree(tree).Delete(tree == "ids" ? "things/99"u8 : position))
            );
        }

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });

        Assert.False(report.IsSound);
        Assert.True(report.Storage.IsSound);
        var problem = report.Problems[0];
        Assert.Equal("things/99", problem.DocumentId, ignoreCase: true);
        Assert.Equal(100, problem.Position);
        Assert.Equal(
            tree switch
            {
                "ids" => "its id leads nowhere",
                "documents" => "its id leads to this position, which has no record",
                _ => "it is missing in tree 'collection/1'",
            },
            problem.Reason
        );
    }

    [Fact]
    public async Task ADamagedPageNamesTheDocumentsBehindIt()
    {
        using var folder = new TestFolder();
        await MakeAsync(folder.Path);
        var data = Path.Combine(folder.Path, "pipeline.data");
        var bytes = File.ReadAllBytes(data);
        var page = bytes.AsSpan().IndexOf("Things/99"u8) / 8192;
        Assert.Equal(4, bytes[(page * 8192) + 4]);
        bytes[(page * 8192) + 5000] ^= 4;
        File.WriteAllBytes(data, bytes);

        var report = DatabaseCheck.Run(new DatabaseOptions { Path = folder.Path });

        var damage = Assert.Single(report.Storage.Problems, p => p.Page == page);
        Assert.NotNull(damage.Affected);
        Assert.NotEmpty(report.Problems);
        Assert.All(report.Problems, p => Assert.Contains($"page {page} of tree '{damage.Tree}' is damaged", p.Reason));
        Assert.Equal(report.Problems.Count, report.Problems.Select(p => p.DocumentId).Distinct().Count());
    }

    internal static async Task MakeAsync(string path, int documents = 600)
    {
        await using var database = DocumentDatabase.Open(new DatabaseOptions { Name = "test", Path = path });
        for (var i = 0; i < documents; i += 100)
        {
            var from = i;
            await database.WriteAsync(t =>
            {
                for (var j = from; j < from + 100; j++)
                    t.Put($"Things/{j}", Text(j, "Things"));
                return 0;
            });
        }

        for (var i = 0; i < 10; i++)
            await database.DeleteAsync($"things/{i}");
        for (var i = 20; i < 25; i++)
            await database.PutAsync($"things/{i}", Text(i, "Others"));
        await database.WriteAsync(t =>
        {
            t.SetState("etl/x", "state"u8);
            return t.NextIdentity("orders");
        });
    }

    internal static byte[] Text(int i, string collection) =>
        Encoding.UTF8.GetBytes(
            $$$"""{"n":{{{i}}},"text":"{{{new string('t', i % 50)}}}","@metadata":{"@collection":"{{{collection}}}"}}"""
        );
}
