using Xunit;

namespace Pipeline.Storage.Tests.Io;

/// <summary>A file keeps its identity, and no copy of it has the same.</summary>
public sealed class FileIdentityTests
{
    private static readonly WindowsFileId One = new(Volume: 7, Number: 1UL << 48 | 40, Upper: 0, Created: 0);

    [Fact]
    public void The_copy_on_another_volume_differs_though_its_number_is_the_same()
    {
        Assert.Equal(One.ToNumber(), (One with { }).ToNumber());
        // A folder that is copied to a fresh volume has the numbers that it had on the first one.
        WindowsFileId[] others =
        [
            One with
            {
                Volume = 8,
            },
            One with
            {
                Number = 2UL << 48 | 40,
            },
            One with
            {
                Upper = 1,
            },
            One with
            {
                Created = 1,
            },
            new(Volume: One.Number, Number: One.Volume, Upper: 0, Created: 0),
        ];
        Assert.Equal(others.Length + 1, others.Append(One).Select(i => i.ToNumber()).Distinct().Count());
        Assert.DoesNotContain(0, others.Append(One).Select(i => i.ToNumber()));
    }

    [SkippableFact]
    public void On_windows_neither_writing_nor_times_nor_a_rename_change_it_and_a_copy_with_all_times_differs()
    {
        Skip.IfNot(OperatingSystem.IsWindows(), "Elsewhere the creation time is the identity, and nothing can set it.");
        var folder = Directory.CreateTempSubdirectory("pipeline-identity-").FullName;
        try
        {
            var files = new NativeStorageFiles(locksData: false);
            var (path, copy, moved) = (
                Path.Combine(folder, "a"),
                Path.Combine(folder, "copy"),
                Path.Combine(folder, "moved")
            );
            File.WriteAllText(path, "one");
            var identity = files.IdentityOf(path);
            Assert.NotEqual(0, identity);
            File.AppendAllText(path, "two");
            File.SetCreationTimeUtc(path, new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc));
            File.SetLastWriteTimeUtc(path, new DateTime(2021, 1, 1, 0, 0, 0, DateTimeKind.Utc));
            Assert.Equal(identity, files.IdentityOf(path));

            File.Copy(path, copy);
            File.SetCreationTimeUtc(copy, File.GetCreationTimeUtc(path));
            Assert.NotEqual(identity, files.IdentityOf(copy));

            // A new file under the name takes the creation time of the one before; NTFS keeps it for 15 s.
            File.Move(path, moved);
            File.Move(copy, path);
            Assert.Equal(identity, files.IdentityOf(moved));
            Assert.NotEqual(identity, files.IdentityOf(path));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
