using Xunit;

namespace Pipeline.Storage.Tests.Io;

public sealed class OpenFilesTests
{
    [Theory]
    [InlineData(20_000, 2, 20_000, 10_000)]
    [InlineData(20_000, 2, 1_048_576, 20_000)]
    [InlineData(1_000, 16, 1_024, 64)]
    [InlineData(1_000, 16, 10, 1)]
    [InlineData(1_000, 2, null, 1_000)]
    public void A_limit_is_at_most_its_part_of_the_open_files(int wanted, int part, int? most, int expected) =>
        Assert.Equal(expected, OpenFiles.Cap(wanted, part, most));

    [Fact]
    public void The_limit_of_this_process_is_known_on_Linux() =>
        Assert.Equal(OperatingSystem.IsLinux(), OpenFiles.Most > 100);
}
