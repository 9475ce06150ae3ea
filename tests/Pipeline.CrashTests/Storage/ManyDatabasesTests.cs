using System.Globalization;
using Pipeline.CrashTests.JavaScript;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.CrashTests.Storage;

/// <summary>
/// A server holds 1,000 databases. A child process opens that many with an index each: they fit into its address space,
/// its open files and <see cref="MaxMegabytes"/> of memory.
/// </summary>
public sealed class ManyDatabasesTests(ITestOutputHelper output)
{
    private const int Databases = 1000;
    private const int MaxMegabytes = 4096;
    private static readonly TimeSpan AtMost = TimeSpan.FromMinutes(4.5);

    [Fact]
    public async Task A_thousand_databases_fit_into_one_process()
    {
        var folder = Directory.CreateTempSubdirectory("pipeline-many-");
        try
        {
            var last = await HostileScriptTests.RunAsync(
                AtMost,
                "many-databases",
                folder.FullName,
                Databases.ToString(CultureInfo.InvariantCulture)
            );
            output.WriteLine(last);
            // done DATABASES databases, MEGABYTES MiB
            var words = last.Split(' ');
            Assert.Equal(Databases, int.Parse(words[1], CultureInfo.InvariantCulture));
            Assert.InRange(int.Parse(words[3], CultureInfo.InvariantCulture), 1, MaxMegabytes);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
