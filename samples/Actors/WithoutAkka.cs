Console.Error.WriteLine("actors: this sample needs Akka.NET, which the NuGet feed does not have; see actors/README.md.");
return 2;
