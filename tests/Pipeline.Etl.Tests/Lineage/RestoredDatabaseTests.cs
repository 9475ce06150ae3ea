using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Resuming;
using Pipeline.Etl.Runner;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Etl.Tests.Lineage;

/// <summary>
/// A database that went back in time gives positions a second time: no task may take new changes for old ones.
/// </summary>
public sealed class RestoredDatabaseTests : IDisposable
{
    private readonly LineageFixture _f = new();

    public void Dispose() => _f.Dispose();

    [Theory]
    [InlineData("in place")]
    [InlineData("as a new folder")]
    [InlineData("renamed")]
    public async Task Changes_after_a_copy_was_put_back_are_neither_dropped_nor_deleted(string how)
    {
        _f.More = "deleteAfterSend: true";
        await PutBackAsync(how);
        var status = await _f.WriteAndRunAsync(20, 5);
        int[] lost = [.. Enumerable.Range(20, 5).Except(_f.Sent())];
        Assert.True(
            lost.Length == 0 || LineageFixture.Count(_f.Data) == 5,
            $"{lost.Length} documents are neither in the file nor in the database; the task is {status.State}"
        );
        Assert.Equal(EtlTaskState.Blocked, status.State);
        Assert.Contains("pipeline etl resume t --from", status.Conflict!.Reason, StringComparison.Ordinal);
        Assert.Equal(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(25, 0)).State);
    }

    [Theory]
    [InlineData("in place", "lineage", 15)]
    [InlineData("renamed", "position", 15)]
    [InlineData("as a new folder", "1", 15)]
    [InlineData("in place", "end", 10)]
    public async Task A_decision_lets_the_task_go_on_and_the_file_has_each_change_once(
        string how,
        string from,
        int lines
    )
    {
        await PutBackAsync(how);
        await _f.WriteAndRunAsync(20, 5);
        await _f.ResumeAsync(from);
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(25, 0)).State);
        Assert.Equal([.. Enumerable.Range(10, lines)], _f.Sent());
        string[] ids = [.. _f.Lines().Select(l => l.GetProperty("id").GetString()!)];
        Assert.Equal(lines, ids.Distinct().Count());

        // Messages sent before keep their ids; a message whose position is used for the second time gets a different
        // id.
        Assert.All(ids.Take(10), id => Assert.DoesNotContain('.', id));
        Assert.All(ids.Skip(10), id => Assert.Contains('.', id));
        Assert.All(
            _f.Lines().Skip(10),
            l =>
                Assert.Equal(
                    l.GetProperty("id").GetString()!.Split('.')[1].Split('/')[0],
                    l.GetProperty("pipelinelineage").GetString()
                )
        );
    }

    [Fact]
    public async Task A_copy_that_is_opened_beside_its_original_waits_and_the_original_notices_nothing()
    {
        await _f.WriteAndRunAsync(10, 5);
        TestFolder.Copy(_f.Data, _f.Copy);
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(15, 5)).State);
        Assert.Equal(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(30, 5, _f.Copy)).State);
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(20, 5)).State);
        Assert.Equal(Enumerable.Range(10, 15), _f.Sent());
        Assert.All(_f.Lines(), l => Assert.False(l.TryGetProperty("pipelinelineage", out _)));
    }

    [Fact]
    public async Task A_folder_that_was_renamed_is_the_same_database()
    {
        await _f.WriteAndRunAsync(10, 5);
        Directory.Move(_f.Data, _f.Copy);
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(15, 5, _f.Copy)).State);
        Directory.Move(_f.Copy, _f.Data);
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(20, 5)).State);
        Assert.Equal(Enumerable.Range(10, 15), _f.Sent());
        await using var database = LineageFixture.Open(_f.Data);
        Assert.True(database.Lineages.IsInitial);
    }

    [Fact]
    public async Task A_disk_that_was_rolled_back_unseen_is_found_by_the_runs_in_the_file()
    {
        // As a virtual machine's snapshot does: the folder is as it was, witness, file times and all.
        _f.More = "deleteAfterSend: true";
        await PutBackAsync("in place");
        foreach (
            var witness in Directory
                .GetFiles(_f.Data, "*.opened")
                .Where(w => !File.Exists(Path.Combine(_f.Copy, Path.GetFileName(w))))
        )
        {
            File.Delete(witness);
        }

        var status = await _f.WriteAndRunAsync(20, 5);
        Assert.Equal(EtlTaskState.Blocked, status.State);
        Assert.Contains("none of this task's runs wrote", status.Conflict!.Reason, StringComparison.Ordinal);
        Assert.Equal(5, LineageFixture.Count(_f.Data));
        await _f.ResumeAsync("lineage");
        Assert.NotEqual(EtlTaskState.Blocked, (await _f.WriteAndRunAsync(25, 0)).State);
        Assert.Equal(Enumerable.Range(10, 15), _f.Sent());
        Assert.Equal(15, _f.Lines().Select(l => l.GetProperty("id").GetString()).Distinct().Count());
    }

    [Fact]
    public async Task A_copy_of_a_running_worker_that_is_put_back_is_found_by_the_times_in_the_file()
    {
        // The copy, and the changes written after it, belong to the same opening of the database and the same run.
        _f.More = "deleteAfterSend: true";
        await using (var database = LineageFixture.Open(_f.Data))
        await using (var host = _f.NewHost(database))
        {
            host.Start();
            await LineageFixture.PutAsync(database, 10, 5);
            Assert.True(await host.DrainAsync(database.LastPosition, default));
            database.Storage.Flush();
            TestFolder.Copy(_f.Data, _f.Copy);
            await LineageFixture.PutAsync(database, 15, 5);
            Assert.True(await host.DrainAsync(database.LastPosition, default));
        }

        TestFolder.Copy(_f.Copy, _f.Data);
        var status = await _f.WriteAndRunAsync(20, 20);
        Assert.Equal(EtlTaskState.Blocked, status.State);
        Assert.Equal(20, LineageFixture.Count(_f.Data));
    }

    [Fact]
    public async Task Only_a_blocked_task_is_resumed_and_only_where_it_can_go_on()
    {
        await _f.WriteAndRunAsync(10, 5);
        Assert.Contains(
            "is not blocked",
            (await Assert.ThrowsAsync<ResumeException>(() => _f.ResumeAsync("position"))).Message,
            StringComparison.Ordinal
        );
        await PutBackAsync("renamed");
        Assert.Contains(
            "end at 5",
            (await Assert.ThrowsAsync<ResumeException>(() => _f.ResumeAsync("7"))).Message,
            StringComparison.Ordinal
        );
        Assert.Contains(
            "'tomorrow'",
            (await Assert.ThrowsAsync<ResumeException>(() => _f.ResumeAsync("tomorrow"))).Message,
            StringComparison.Ordinal
        );
        Assert.Equal(5, (await _f.ResumeAsync("lineage")).Position);
    }

    [Fact]
    public void Lineages_outlive_a_closing_and_a_newer_form_of_them_is_refused()
    {
        var lineages = DatabaseLineages
            .Initial.OfLife(7)
            .With(new DatabaseLineage("a", 11, DateTimeOffset.UnixEpoch, "why") { IsOfOpening = true });
        var read = DatabaseLineages.Parse("shop", lineages.With(new DatabaseLineage("b", 5, null, "")).ToBytes());
        Assert.Equal((7, "b", 11), (read.Life, read.Current.Id, read.Current.First));
        Assert.Equal(("", "b"), (read.At(10).Id, read.At(11).Id));
        Assert.True(
            read.Contains("", 10) && !read.Contains("", 11) && read.Contains("a", 99) && !read.Contains("c", 1)
        );
        Assert.Throws<DatabaseCorruptException>(() =>
            DatabaseLineages.Parse("shop", JsonSerializer.SerializeToUtf8Bytes(new { version = 2 }))
        );
    }

    /// <summary>10 to 14 are sent; a copy; 15 to 19 are sent; the copy takes the database's place.</summary>
    private async Task PutBackAsync(string how)
    {
        if (!Directory.Exists(_f.Data))
            await _f.WriteAndRunAsync(10, 5);
        TestFolder.Copy(_f.Data, _f.Copy);
        await _f.WriteAndRunAsync(15, 5);
        if (how != "in place")
            Directory.Delete(_f.Data, recursive: true);
        if (how == "renamed")
            Directory.Move(_f.Copy, _f.Data);
        else
            TestFolder.Copy(_f.Copy, _f.Data);
    }
}
