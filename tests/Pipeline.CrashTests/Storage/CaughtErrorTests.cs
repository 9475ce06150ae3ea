using System.Text;
using Pipeline.Storage;
using Pipeline.TestKit.Storage;
using Xunit;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// An operation that catches an error after its first change commits nothing, and its caller learns why.
/// </summary>
public sealed class CaughtErrorTests
{
    private static byte[] Key(int i) => Encoding.UTF8.GetBytes($"key/{i:d5}");

    [Fact]
    public async Task A_caught_error_in_a_split_commits_nothing()
    {
        using var disk = new SimulatedDisk(record: false);
        using (var filled = StorageEnvironment.Open(CrashWorkload.Options(disk, StorageFaults.None)))
        {
            for (var i = 0; i < 400; i += 2)
                await filled.WriteAsync(t => t.CreateTree("t").Put(Key(i), new byte[150]));
        }
        using var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, StorageFaults.None) with
            {
                MaxTransactionBytes = 3 * 8192,
            }
        );
        var (caught, acknowledged) = (0, 200);
        for (var i = 1; i < 400 && caught < 3; i += 2)
        {
            Exception? within = null;
            var error = await Record.ExceptionAsync(() =>
                environment.WriteAsync(t =>
                {
                    within = null;
                    try
                    {
                        t.OpenTree("t").Put(Key(i), new byte[150]);
                    }
                    catch (TransactionTooLargeException e)
                    {
                        within = e;
                    }
                })
            );
            if (within is null)
            {
                Assert.Null(error);
                acknowledged++;
                continue;
            }
            caught++;
            Assert.Equal(acknowledged, Count(environment));
            Assert.Same(within, Assert.IsType<IncompleteOperationException>(error).InnerException);
        }
        Assert.True(caught > 0, "no split was over the limit");
        Assert.True(StorageChecker.Check(environment).IsSound);
    }

    [Fact]
    public async Task An_id_is_not_committed_without_its_record()
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, StorageFaults.None) with
            {
                MaxTransactionBytes = 10 * 8192,
            }
        );
        var error = await Record.ExceptionAsync(() =>
            environment.WriteAsync(t =>
            {
                t.CreateTree("ids").Put("a"u8, "1"u8);
                try
                {
                    t.CreateTree("records").Put("1"u8, new byte[200_000]);
                }
                catch (TransactionTooLargeException)
                {
                    // As an operation might that takes one document after the other.
                }
            })
        );
        using (var read = environment.BeginRead())
            Assert.False(read.TryOpenTree("ids", out _), "the id is there, its record is not");
        Assert.IsType<IncompleteOperationException>(error);
        await environment.WriteAsync(t => t.CreateTree("ids").Put("b"u8, "1"u8));
    }

    /// <summary>
    /// Each change of a tree, with each allocation in it failing in turn; the operation catches the error.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_allocation_that_fails_within_a_change_leaves_nothing_of_it(bool planted)
    {
        var (failures, halves, unnoticed) = (0, 0, new List<string>());
        foreach (var (name, change) in Changes)
        {
            var done = After(change);
            for (var at = 0; ; at++)
            {
                using var disk = new SimulatedDisk(record: false);
                var options = CrashWorkload.Options(
                    disk,
                    planted ? StorageFaults.CommitIncompleteOperations : StorageFaults.None
                ) with
                {
                    Threadless = true,
                };
                using var environment = StorageEnvironment.Open(options);
                environment.Write(Fill);
                var before = Content(environment);
                var (left, error) = (at, default(Exception));
                var failed = false;
                error = Record.Exception(() =>
                    environment.Write(t =>
                    {
                        t.OpenTree("other").Put("x"u8, "y"u8);
                        StepHook.Observer = step =>
                        {
                            if (step == StorageStep.VersionRent && left-- == 0)
                                throw new InsufficientMemoryException("planted");
                        };
                        try
                        {
                            change(t);
                        }
                        catch (InsufficientMemoryException)
                        {
                            failed = true;
                        }
                        finally
                        {
                            StepHook.Observer = null;
                        }
                        return true;
                    })
                );
                if (!failed)
                    break;
                failures++;
                var report = StorageChecker.Check(environment);
                if (planted)
                {
                    Assert.Null(error);
                    var content = Content(environment).Where(line => line != "other x 1").ToList();
                    var isHalf = !content.SequenceEqual(before) && !content.SequenceEqual(done);
                    halves += isHalf ? 1 : 0;
                    if (isHalf && report.IsSound)
                        unnoticed.Add($"{name}, allocation {at}");
                    continue;
                }
                var after = Content(environment);
                Assert.IsType<IncompleteOperationException>(error);
                Assert.Equal(before, after);
                Assert.True(report.IsSound, $"{name}, allocation {at}: {string.Join("; ", report.Problems)}");
                environment.Write(t => t.OpenTree("t").Put("later"u8, "v"u8));
            }
        }
        Assert.True(failures > 15, $"only {failures} allocations failed");
        Assert.Equal([], unnoticed);
        Assert.True(!planted || halves > 5, $"only {halves} of {failures} left half a change");
    }

    private static List<string> After(Action<WriteTransaction> change)
    {
        using var disk = new SimulatedDisk(record: false);
        using var environment = StorageEnvironment.Open(
            CrashWorkload.Options(disk, StorageFaults.None) with
            {
                Threadless = true,
            }
        );
        environment.Write(Fill);
        environment.Write(t =>
        {
            change(t);
            return true;
        });
        return Content(environment);
    }

    private static (string Name, Action<WriteTransaction> Change)[] Changes =>
        [
            ("a split", t => t.OpenTree("t").Put(Key(201), new byte[1500])),
            ("a large value in place of a small one", t => t.OpenTree("t").Put(Key(200), new byte[40_000])),
            ("a small value in place of a large one", t => t.OpenTree("t").Put("large"u8, new byte[2000])),
            ("a large value in place of a large one", t => t.OpenTree("t").Put("large"u8, new byte[90_000])),
            ("a delete of a large value", t => t.OpenTree("t").Delete("large"u8)),
            ("a delete that empties a leaf", t => t.OpenTree("leaves").Delete("2"u8)),
            ("a delete that merges leaves", t => t.OpenTree("thin").Delete("1"u8)),
            ("a new tree", t => t.CreateTree("new")),
            ("a dropped tree", t => t.DropTree("t")),
        ];

    private static bool Fill(WriteTransaction t)
    {
        for (var i = 0; i < 400; i += 2)
            t.CreateTree("t").Put(Key(i), new byte[150]);
        t.CreateTree("t").Put("large"u8, new byte[50_000]);
        for (var i = 0; i < 5; i++)
            t.CreateTree("leaves").Put(Encoding.UTF8.GetBytes($"{i}"), new byte[i == 2 ? 2000 : 100]);
        for (var i = 0; i < 5; i++)
            t.CreateTree("thin").Put(Encoding.UTF8.GetBytes($"{i}"), new byte[2000]);
        t.CreateTree("thin").Delete("4"u8);
        t.CreateTree("thin").Delete("3"u8);
        return t.CreateTree("other").Put("a"u8, "b"u8);
    }

    private static List<string> Content(StorageEnvironment environment)
    {
        var found = new List<string>();
        using var read = environment.BeginRead();
        foreach (var name in read.TreeNames())
        {
            try
            {
                using var cursor = read.OpenTree(name).OpenCursor();
                for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
                    found.Add($"{name} {Encoding.UTF8.GetString(cursor.Key)} {cursor.Value.Length}");
            }
            catch (CorruptPageException e)
            {
                found.Add(e.Message);
            }
        }
        return found;
    }

    private static int Count(StorageEnvironment environment)
    {
        using var read = environment.BeginRead();
        using var cursor = read.OpenTree("t").OpenCursor();
        var count = 0;
        for (var more = cursor.SeekFirst(); more; more = cursor.MoveNext())
            count++;
        return count;
    }
}
